//! Blame over random histories, beside a naive one that follows every line forward.

use interline_items::{EditRequest, Item, Kind, PassageChange, Scope, TextChange, TokenDraft};

use crate::samples::{content, note_of, token};
use crate::world::{World, by_id, code, set};

/// A line, and the version that wrote it. No two lines are the same, so that every change is told by its texts.
#[derive(Clone)]
struct Line {
    text: String,
    version: u64,
}

/// A note as lines, with the numbers that its next changes are made of.
struct Naive {
    lines: Vec<Line>,
    version: u64,
    next_line: u64,
    seed: u64,
}

impl Naive {
    fn random(&mut self, below: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.seed >> 33).unwrap() % below
    }

    /// A line that the next version writes.
    fn new_line(&mut self) -> Line {
        self.next_line += 1;
        Line { text: format!("line {:06}\n", self.next_line), version: self.version + 1 }
    }

    fn text(&self) -> String {
        self.lines.iter().map(|line| line.text.as_str()).collect()
    }

    /// Changes, adds or removes a line.
    fn change_a_line(&mut self) -> EditRequest {
        let at = self.random(self.lines.len());
        let old_str = self.lines[at].text.clone();
        let new_str = match self.random(3) {
            0 => {
                self.lines[at] = self.new_line();
                self.lines[at].text.clone()
            }
            1 if self.lines.len() > 3 => {
                self.lines.remove(at);
                String::new()
            }
            _ => {
                let added = self.new_line();
                let new_str = format!("{old_str}{}", added.text);
                self.lines.insert(at + 1, added);
                new_str
            }
        };
        EditRequest::new(TextChange::Replace(PassageChange { old_str, new_str, expected_matches: 1 }))
    }

    /// Changes some lines at once.
    fn change_some_lines(&mut self) {
        for _ in 0..=self.random(4) {
            let at = self.random(self.lines.len());
            self.lines[at] = self.new_line();
        }
    }

    /// First line, last line and version of each range; the empty last line is as old as the note.
    fn ranges(&self) -> Vec<(usize, usize, u64)> {
        let mut ranges: Vec<(usize, usize, u64)> = Vec::new();
        for (index, version) in self.lines.iter().map(|line| line.version).chain([1]).enumerate() {
            match ranges.last_mut() {
                Some(last) if last.2 == version => last.1 = index + 1,
                _ => ranges.push((index + 1, index + 1, version)),
            }
        }
        ranges
    }
}

async fn blamed(world: &World, item: &Item) -> Vec<(usize, usize, u64)> {
    let blame = world.interline.blame(&world.owner, &by_id(item)).await.unwrap();
    assert_eq!(blame.total_lines, blame.ranges.last().map_or(0, |last| last.end_line));
    blame.ranges.iter().map(|range| (range.start_line, range.end_line, range.record.stamp.version)).collect()
}

#[tokio::test]
async fn a_random_history_is_blamed_as_the_naive_one() {
    let world = World::new().await;
    for seed in 1..4 {
        let mut naive = Naive { lines: Vec::new(), version: 0, next_line: 0, seed };
        naive.lines = (0..20).map(|_| naive.new_line()).collect();
        let item = world.create(Kind::Note, note_of(&naive.text())).await;
        naive.version = 1;
        for step in 0..300 {
            if naive.random(8) == 0 {
                naive.change_some_lines();
                world.update(&item, content(&naive.text())).await.unwrap();
            } else {
                let edit = naive.change_a_line();
                world.interline.edit(&world.owner, &by_id(&item), edit).await.unwrap();
            }
            naive.version += 1;
            if step % 20 == 19 {
                assert_eq!(world.text(&item).await.unwrap(), naive.text());
                assert_eq!(blamed(&world, &item).await, naive.ranges(), "seed {seed}, step {step}");
            }
        }
    }
}

#[tokio::test]
async fn blame_needs_the_scope_to_read() {
    let world = World::new().await;
    let item = world.create(Kind::Note, note_of("one\n")).await;
    let writer = world.narrowed(TokenDraft { scopes: Some(set([Scope::Write])), ..token() }).await;
    assert_eq!(code(world.interline.blame(&writer, &by_id(&item)).await), "forbidden");
}

//! Undo against a model: random edits of several clients, undo of random sets, items and hunks.
//!
//! Every line that is ever written is unique, so that the model knows who wrote it. Steps: 2,000 unless
//! `INTERLINE_UNDO_STEPS` says otherwise, from `INTERLINE_UNDO_SEED`.

use std::collections::{BTreeMap, BTreeSet};

use interline_items::{
    ChangeSetError, ChangeSetId, Error, ExpectedVersion, Item, Kind, OnUndoConflict, UndoChangeSet, UndoneChanges,
};

use super::{Agent, details, everything, new_set};
use crate::samples::{content, note_of};
use crate::world::{World, by_id};

const NOTES: usize = 3;
const AGENTS: usize = 3;
/// How many of the newest sets an undo is of.
const RECENT: usize = 8;

struct Model {
    world: World,
    agents: Vec<Agent>,
    notes: Vec<Item>,
    /// The sets of the agents, which each goes on with or begins anew.
    open: Vec<ChangeSetId>,
    sets: Vec<ChangeSetId>,
    /// Sets that take others back: they bring lines back that others wrote.
    undo_sets: BTreeSet<ChangeSetId>,
    /// Who wrote each line.
    writers: BTreeMap<String, ChangeSetId>,
    lines: usize,
    random: u64,
    undone: usize,
    refused: usize,
}

#[tokio::test]
async fn an_undo_keeps_what_others_wrote_or_is_refused() {
    let steps = option("INTERLINE_UNDO_STEPS").unwrap_or(2_000);
    let seed = option("INTERLINE_UNDO_SEED").unwrap_or(7);
    let mut model = Model::new(seed).await;
    for _ in 0..steps {
        match model.below(10) {
            0 => model.undo_somewhere().await,
            1 => model.begin_a_set(),
            _ => model.edit().await,
        }
    }
    println!("{steps} steps: {} undone, {} refused", model.undone, model.refused);
    assert!(
        model.undone * 4 > model.refused && model.refused > 0,
        "{} undone, {} refused",
        model.undone,
        model.refused
    );
}

#[expect(clippy::disallowed_methods, reason = "the long form of a test")]
fn option(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

impl Model {
    async fn new(seed: u64) -> Model {
        let world = World::new().await;
        let mut agents = Vec::new();
        for number in 0..AGENTS {
            agents.push(Agent::new(&world, &format!("agent {number}")).await);
        }
        let text: String = (0..12).map(|number| format!("start {number}\n")).collect();
        let mut notes = Vec::new();
        for _ in 0..NOTES {
            notes.push(world.create(Kind::Note, note_of(&text)).await);
        }
        let open: Vec<ChangeSetId> = (0..AGENTS).map(|_| new_set()).collect();
        Model {
            world,
            agents,
            notes,
            sets: open.clone(),
            open,
            undo_sets: BTreeSet::new(),
            writers: BTreeMap::new(),
            lines: 0,
            random: seed,
            undone: 0,
            refused: 0,
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.random >> 33) % bound as u64).unwrap()
    }

    fn begin_a_set(&mut self) {
        let agent = self.below(AGENTS);
        self.open[agent] = new_set();
        self.sets.push(self.open[agent]);
    }

    /// A client inserts, changes or removes a line.
    async fn edit(&mut self) {
        let (agent, note) = (self.below(AGENTS), self.below(NOTES));
        let text = self.text(note).await;
        let mut lines: Vec<String> = text.split_terminator('\n').map(str::to_owned).collect();
        let at = self.below(lines.len() + 1);
        self.lines += 1;
        let line = format!("line {}", self.lines);
        match self.below(if lines.len() > 20 { 3 } else { 5 }) {
            0 | 1 if at < lines.len() => lines[at].clone_from(&line),
            2 if at < lines.len() => drop(lines.remove(at)),
            _ => lines.insert(at, line.clone()),
        }
        let set = self.open[agent];
        self.writers.insert(line, set);
        let new: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let caller = self.agents[agent].in_set(&self.world, set).await;
        let item = by_id(&self.notes[note]);
        self.world.interline.update(&caller, &item, ExpectedVersion::Any, content(&new)).await.unwrap();
    }

    async fn undo_somewhere(&mut self) {
        let recent = self.sets.len().saturating_sub(RECENT);
        let chosen = recent + self.below(self.sets.len() - recent);
        let set = self.sets[chosen];
        let Ok(read) = self.world.interline.change_set(&self.world.owner, set, None).await else { return };
        let request = match self.below(3) {
            0 => everything(),
            1 => UndoChangeSet {
                items: Some(vec![read.changes[self.below(read.changes.len())].item.id]),
                ..everything()
            },
            _ => {
                let hunks: Vec<String> = read
                    .changes
                    .iter()
                    .flat_map(|item| &item.parts)
                    .flat_map(|part| &part.hunks)
                    .map(|hunk| hunk.id.clone())
                    .collect();
                if hunks.is_empty() {
                    return;
                }
                UndoChangeSet { hunks: Some(vec![hunks[self.below(hunks.len())].clone()]), ..everything() }
            }
        };
        let before = self.texts().await;
        let result = self.world.interline.undo_changes(&self.world.owner, set, request.clone()).await;
        let after = self.texts().await;
        // A decided set is closed: its client goes on with another.
        for agent in 0..AGENTS {
            if self.open[agent] == set {
                self.open[agent] = new_set();
                self.sets.push(self.open[agent]);
            }
        }
        match result {
            Ok(undone) => self.check_undone(set, &request, &before, &after, undone).await,
            Err(Error::ChangeSet(ChangeSetError::Conflicts(conflicts))) => {
                self.refused += 1;
                assert_eq!(before, after, "a refused undo changes nothing");
                assert!(conflicts.iter().all(|conflict| !conflict.places.is_empty()), "{conflicts:?}");
            }
            Err(error) => panic!("{error:?}"),
        }
    }

    async fn check_undone(
        &mut self,
        set: ChangeSetId,
        request: &UndoChangeSet,
        before: &[String],
        after: &[String],
        undone: UndoneChanges,
    ) {
        assert_eq!(request.on_conflict, OnUndoConflict::Refuse);
        for (index, (before, after)) in before.iter().zip(after).enumerate() {
            let of_others = |text: &str| -> Vec<String> {
                text.split_terminator('\n')
                    .filter(|line| self.writers.get(*line) != Some(&set))
                    .map(str::to_owned)
                    .collect()
            };
            assert_eq!(
                after.split_terminator('\n').collect::<BTreeSet<_>>().len(),
                after.split_terminator('\n').count(),
                "no line is doubled"
            );
            if self.undo_sets.contains(&set) {
                continue;
            }
            let (kept, left) = (of_others(before), of_others(after));
            assert!(is_subsequence(&kept, &left), "others' lines are lost or moved:\n{before}\n--\n{after}");
            let whole = request.hunks.is_none()
                && request.items.as_ref().is_none_or(|items| items.contains(&self.notes[index].id));
            let own = after.split_terminator('\n').filter(|line| self.writers.get(*line) == Some(&set)).count();
            assert!(!whole || own == 0, "lines of the set are left:\n{after}");
        }
        let Some(undo) = undone.set else {
            assert_eq!(before, after, "nothing was left to take back");
            return;
        };
        self.undone += 1;
        if self.below(2) == 0 {
            self.world.interline.undo_changes(&self.world.owner, undo.set.id, everything()).await.unwrap();
            assert_eq!(self.texts().await, before, "the undo of an undo gives the text back");
        } else {
            self.sets.push(undo.set.id);
            self.undo_sets.insert(undo.set.id);
            let made = details(&self.world, undo.set.id).await;
            assert_eq!(made.changes.iter().filter(|change| !change.parts.is_empty()).count(), made.changes.len());
        }
    }

    async fn text(&self, note: usize) -> String {
        self.world.text(&self.notes[note]).await.unwrap_or_default()
    }

    async fn texts(&self) -> Vec<String> {
        let mut texts = Vec::new();
        for note in 0..NOTES {
            texts.push(self.text(note).await);
        }
        texts
    }
}

fn is_subsequence(part: &[String], whole: &[String]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|line| whole.any(|other| other == line))
}

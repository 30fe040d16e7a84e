//! Notes in which every edit is visible, and in which nothing else can happen unnoticed.
//!
//! A note is filling with a line for each client in between. An edit puts its number behind the name of the line, so the
//! text shows which edits happened, in which order of each client, and that each happened once. Clients never name the
//! same passage: whatever they do at the same time, all of it must succeed.

use interline_items::{
    Caller, EditRequest, Error, Interline, ItemDraft, ItemId, ItemRef, Kind, PassageChange, TextChange,
};

use crate::random::Random;

const WORDS: [&str; 8] = ["quartz", "Straße", "meadow", "lantern", "ripple", "音楽", "harvest", "ember"];

/// The number of an edit; those of one client ascend.
pub(crate) type EditNumber = u32;

/// What a note is made of.
pub(crate) struct NotePlan {
    /// Before, between and behind the lines of the clients.
    filling: Vec<String>,
}

/// The edits that a text shows, by client, newest first.
pub(crate) type SeenEdits = Vec<Vec<EditNumber>>;

impl NotePlan {
    /// A note of about so many bytes.
    pub(crate) fn new(bytes: usize, clients: usize, random: &mut Random) -> NotePlan {
        let share = bytes / (clients + 1);
        NotePlan { filling: (0..=clients).map(|_| filling(share, random)).collect() }
    }

    /// Its text before the first edit.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (client, filling) in self.filling.iter().enumerate() {
            if client > 0 {
                text.push_str(&name_of_line(client - 1));
                text.push('\n');
            }
            text.push_str(filling);
        }
        text
    }

    /// What a text shows; an error if it is not this note's after some edits, each whole.
    pub(crate) fn read(&self, text: &str) -> Result<SeenEdits, String> {
        let mut rest = text;
        let mut seen = SeenEdits::new();
        for (client, filling) in self.filling.iter().enumerate() {
            if client > 0 {
                let line = rest.strip_prefix(name_of_line(client - 1).as_str());
                let (line, after) = line.and_then(|line| line.split_once('\n')).ok_or("a line is broken")?;
                seen.push(numbers(line)?);
                rest = after;
            }
            rest = rest.strip_prefix(filling.as_str()).ok_or("what no edit touches is not as it was")?;
        }
        if rest.is_empty() { Ok(seen) } else { Err("there is more text than there was".to_owned()) }
    }

    /// The number of a client's line in the text; 1-based. No edit changes it.
    pub(crate) fn line_number(&self, client: usize) -> usize {
        let before = self.filling[..=client].iter().flat_map(|filling| filling.bytes());
        1 + client + before.filter(|byte| *byte == b'\n').count()
    }

    pub(crate) fn clients(&self) -> usize {
        self.filling.len() - 1
    }
}

pub(crate) fn name_of_line(client: usize) -> String {
    format!("client {client:02}:")
}

pub(crate) fn edit_mark(edit: EditNumber) -> String {
    format!(" {edit:06}")
}

/// The numbers on a line: each written as an edit writes it, and descending, so none twice.
fn numbers(line: &str) -> Result<Vec<EditNumber>, String> {
    let parsed: Option<Vec<EditNumber>> = line.split(' ').skip(1).map(|number| number.parse().ok()).collect();
    let parsed = parsed.filter(|numbers| numbers.iter().map(|number| written(*number)).collect::<String>() == line);
    let parsed = parsed.ok_or_else(|| format!("half an edit: {line:?}"))?;
    if parsed.is_sorted_by(|newer, older| newer > older) {
        Ok(parsed)
    } else {
        Err(format!("edits of a client are twice or out of order: {line:?}"))
    }
}

fn filling(bytes: usize, random: &mut Random) -> String {
    let mut text = String::new();
    while text.len() < bytes {
        text.push_str(WORDS[random.below(WORDS.len())]);
        text.push(if random.chance(120) { '\n' } else { ' ' });
    }
    text.push('\n');
    text
}

/// Makes the note.
pub(crate) async fn make(interline: &Interline, caller: &Caller, plan: &NotePlan) -> Result<ItemId, Error> {
    let draft = ItemDraft { title: Some("soak".to_owned()), content: Some(plan.text()), ..ItemDraft::default() };
    Ok(interline.create(caller, Kind::Note, draft).await?.item.id)
}

/// Makes an edit; the version that it made.
pub(crate) async fn edit(
    interline: &Interline,
    caller: &Caller,
    note: ItemId,
    client: usize,
    edit: EditNumber,
) -> Result<u64, Error> {
    let line = name_of_line(client);
    let new_line = line.clone() + &edit_mark(edit);
    let which = ItemRef::Id(note, Some(Kind::Note));
    let change = PassageChange { old_str: line, new_str: new_line, expected_matches: 1 };
    let edited = interline.edit(caller, &which, EditRequest::new(TextChange::Replace(change))).await?;
    Ok(edited.after.item.stamp.version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_shows_its_edits_and_refuses_halves() {
        let plan = NotePlan::new(2_000, 3, &mut Random::part(1, 1));
        let text = plan.text();
        assert_eq!(plan.read(&text), Ok(vec![vec![], vec![], vec![]]));
        let edited = text.replace("client 01:", "client 01: 000004 000001");
        assert_eq!(plan.read(&edited), Ok(vec![vec![], vec![4, 1], vec![]]));
        for broken in [
            text.replace("client 01:", "client 01: 0000"),
            text.replace("client 01:", "client 01: 000001 000001"),
            text.replace("client 01:", "client 01: 000001 000004"),
            text.replacen("quartz", "quart", 1),
            text.trim_end().to_owned(),
            text.clone() + "\n",
        ] {
            assert!(plan.read(&broken).is_err());
        }
    }
}

//! The log of each client: every change that it asked for and the answer, kept outside of every server.

use interline_items::ItemId;
use serde_json::{Value, json};

use super::client::Client;
use crate::notes::{EditNumber, NotePlan, edit_mark, name_of_line};
use crate::random::Random;

/// Notes that clients edit at the same time. Each client has lines of its own in every note.
pub(crate) struct Notes {
    pub(crate) plans: Vec<NotePlan>,
    pub(crate) ids: Vec<ItemId>,
    pub(crate) lines_per_client: usize,
}

/// Everything that one client did, in order. Whatever it does names its own passages only.
pub(crate) struct ClientLog {
    pub(crate) client: usize,
    pub(crate) random: Random,
    pub(crate) changes: Vec<ClientChange>,
}

/// A change that a client asked for.
#[derive(Clone, Debug)]
pub(crate) struct ClientChange {
    /// Written into the note, and found there again.
    pub(crate) number: EditNumber,
    pub(crate) note: usize,
    pub(crate) kind: ChangeKind,
    pub(crate) outcome: ChangeOutcome,
}

/// What a change is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    /// The number is put into these lines, all in one request.
    Lines(EditMethod, Vec<usize>),
    /// The client's tag becomes one with the number.
    Tag,
    Archive,
    Unarchive,
}

/// How lines are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EditMethod {
    StrReplace,
    Insert,
    Edits,
    LinePatch,
}

/// The outcome of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeOutcome {
    /// The server answered that it is done, with the version.
    Acknowledged(u64),
    /// The server answered that it is not done.
    Refused,
    /// The connection broke first: either may be true.
    Unanswered,
    /// The same, and it was found to be done since; its version, unless it makes none.
    Found(Option<u64>),
}

/// Which changes are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mix {
    /// One passage with `str-replace`.
    StrReplace,
    /// All sorts.
    Everything,
}

impl ClientChange {
    /// Whether it is part of the note, as far as is known.
    pub(crate) fn is_done(&self) -> bool {
        matches!(self.outcome, ChangeOutcome::Acknowledged(_) | ChangeOutcome::Found(_))
    }

    pub(crate) fn makes_a_version(&self) -> bool {
        matches!(self.kind, ChangeKind::Lines(..) | ChangeKind::Tag)
    }

    pub(crate) fn version(&self) -> Option<u64> {
        match self.outcome {
            ChangeOutcome::Acknowledged(version) if self.makes_a_version() => Some(version),
            ChangeOutcome::Found(version) => version,
            _ => None,
        }
    }

    pub(crate) fn touches(&self, line: usize) -> bool {
        matches!(&self.kind, ChangeKind::Lines(_, lines) if lines.contains(&line))
    }
}

impl Notes {
    /// Makes new notes through a server.
    pub(crate) fn make(
        client: &mut Client,
        bytes: &[usize],
        clients: usize,
        lines_per_client: usize,
        random: &mut Random,
    ) -> anyhow::Result<Notes> {
        let mut notes = Notes { plans: Vec::new(), ids: Vec::new(), lines_per_client };
        for bytes in bytes {
            let plan = NotePlan::new(*bytes, clients * lines_per_client, random);
            let made = client.send("POST", "/notes", &json!({"title": "soak", "content": plan.text()}))?;
            anyhow::ensure!(made.status == 201, "a note was not made: {made:?}");
            let id = made.body["id"].as_str().unwrap_or_default().parse()?;
            notes.ids.push(ItemId::from_uuid(id));
            notes.plans.push(plan);
        }
        Ok(notes)
    }

    pub(crate) fn clients(&self) -> usize {
        self.plans.first().map_or(0, NotePlan::clients) / self.lines_per_client
    }

    /// The lines of a client, by number among those of all clients.
    pub(crate) fn client_lines(&self, client: usize) -> std::ops::Range<usize> {
        client * self.lines_per_client..(client + 1) * self.lines_per_client
    }
}

impl ClientLog {
    pub(crate) fn new(client: usize, seed: u64) -> ClientLog {
        ClientLog { client, random: Random::part(seed, 100 + client as u64), changes: Vec::new() }
    }

    /// The numbers that a line must show, newest first; up to a version, if one is given.
    pub(crate) fn numbers(&self, note: usize, line: usize, until: Option<u64>) -> Vec<EditNumber> {
        let is_shown = |change: &&Change| {
            change.note == note
                && change.is_done()
                && change.touches(line)
                && until.is_none_or(|until| change.version().is_some_and(|version| version <= until))
        };
        self.changes.iter().rev().filter(is_shown).map(|change| change.number).collect()
    }

    /// The tag that the client gave last.
    pub(crate) fn tag(&self, note: usize) -> Option<String> {
        let tagging = self
            .changes
            .iter()
            .rfind(|change| change.note == note && change.kind == ChangeKind::Tag && change.is_done());
        tagging.map(|change| tag(self.client, change.number))
    }

    fn text_of_line(&self, note: usize, line: usize) -> String {
        let numbers: String = self.numbers(note, line, None).into_iter().map(written).collect();
        name_of_line(line) + &numbers
    }

    /// Thinks of the next change. It is written down as unanswered before anything is sent.
    pub(crate) fn plan(&mut self, notes: &Notes, mix: Mix) -> ClientChange {
        let note = self.random.below(notes.ids.len());
        let what = match (mix, self.random.below(10)) {
            (Mix::StrReplace, _) | (Mix::Everything, 0..=2) => {
                ChangeKind::Lines(EditMethod::StrReplace, self.pick(notes, 1))
            }
            (Mix::Everything, 3) => ChangeKind::Lines(EditMethod::Insert, self.pick(notes, 1)),
            (Mix::Everything, 4..=5) => ChangeKind::Lines(EditMethod::Edits, self.pick(notes, 3)),
            (Mix::Everything, 6..=7) => ChangeKind::Lines(EditMethod::LinePatch, self.pick(notes, 2)),
            // One client alone archives a note, so that it is known what it must be.
            (Mix::Everything, 8) if note % notes.clients() == self.client => self.archive_or_not(note),
            (Mix::Everything, _) => ChangeKind::Tag,
        };
        let number = EditNumber::try_from(self.changes.len()).unwrap_or(EditNumber::MAX);
        let change = ClientChange { number, note, what, outcome: ChangeOutcome::Unanswered };
        self.changes.push(change.clone());
        change
    }

    /// Some of the client's own lines.
    fn pick(&mut self, notes: &Notes, count: usize) -> Vec<usize> {
        let mut lines: Vec<usize> = notes.client_lines(self.client).collect();
        (0..count.min(lines.len())).map(|_| lines.swap_remove(self.random.below(lines.len()))).collect()
    }

    fn archive_or_not(&self, note: usize) -> ChangeKind {
        if self.is_archived(note) { ChangeKind::Unarchive } else { ChangeKind::Archive }
    }

    /// Whether the client archived the note, and did not take it back.
    pub(crate) fn is_archived(&self, note: usize) -> bool {
        let moves = |change: &&Change| {
            change.note == note
                && change.is_done()
                && matches!(change.kind, ChangeKind::Archive | ChangeKind::Unarchive)
        };
        self.changes.iter().rfind(moves).is_some_and(|change| change.kind == ChangeKind::Archive)
    }

    /// The request that makes a change: method, path, body.
    pub(crate) fn request(&self, notes: &Notes, change: &ClientChange) -> (&'static str, String, Value) {
        let path = |route: &str| format!("/notes/{}{route}?include_content=false", notes.ids[change.note]);
        let replacing = |line: usize| {
            let name = name_of_line(line);
            json!({"old_str": name, "new_str": name.clone() + &edit_mark(change.number)})
        };
        match &change.kind {
            ChangeKind::Lines(EditMethod::StrReplace, lines) => ("PATCH", path("/str-replace"), replacing(lines[0])),
            ChangeKind::Lines(EditMethod::Insert, lines) => {
                let body = json!({"after_str": name_of_line(lines[0]), "new_str": edit_mark(change.number)});
                ("POST", path("/insert"), body)
            }
            ChangeKind::Lines(EditMethod::Edits, lines) => {
                let edits: Vec<Value> = lines.iter().map(|line| replacing(*line)).collect();
                ("POST", path("/edits"), json!({"edits": edits}))
            }
            ChangeKind::Lines(EditMethod::LinePatch, lines) => {
                let operations: Vec<Value> = lines.iter().map(|line| self.operation(notes, change, *line)).collect();
                ("PATCH", path("/content"), json!({"operations": operations}))
            }
            ChangeKind::Tag => {
                let old: Vec<String> = self.tag(change.note).into_iter().collect();
                ("PATCH", path(""), json!({"add_tags": [tag(self.client, change.number)], "remove_tags": old}))
            }
            ChangeKind::Archive => ("POST", path("/archive"), Value::Null),
            ChangeKind::Unarchive => ("POST", path("/unarchive"), Value::Null),
        }
    }

    fn operation(&self, notes: &Notes, change: &ClientChange, line: usize) -> Value {
        let number = notes.plans[change.note].line_number(line);
        let before = self.text_of_line(change.note, line);
        let name = name_of_line(line);
        let after = format!("{name}{}{}", edit_mark(change.number), &before[name.len()..]);
        json!({"start_line": number, "end_line": number, "content": after, "expect": before})
    }
}

/// The tag of a client.
pub(crate) fn tag(client: usize, number: EditNumber) -> String {
    format!("c{client:02}-{number:06}")
}

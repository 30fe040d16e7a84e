//! Records parsed by the rules of their kind, with their history; and the hash by which a changed record is known.

use std::sync::Arc;

use interline_interchange::{Since, SourceChange, SourceFields, SourceKind, SourceRecord, SourceVersion};
use jiff::Timestamp;

use crate::fields::Argument;
use crate::usecases::items::parse_draft;
use crate::usecases::{Interline, ItemDraft, to_microseconds};
use crate::{Action, Error, Fields, ImportedFrom, Kind, Source};

/// The greatest version that an import makes: every JSON client can read it exactly.
const MAX_VERSION: u64 = (1 << 53) - 1;
/// How long a name in an imported history may be.
const MAX_AUTHOR_CHARACTERS: usize = 200;
/// 0000-01-01T00:00:00Z, in seconds since 1970.
const FIRST_SECOND: i64 = -62_167_219_200;

/// The fields of items in the order of the wire, as a history names them.
const FIELD_NAMES: [&str; 8] = ["title", "description", "tags", "url", "name", "arguments", "front_matter", "content"];

/// Fields and content of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) fields: Fields,
    pub(super) content: Option<Arc<str>>,
}

/// A change that the item of a record is made by, oldest first.
#[derive(Clone, Debug)]
pub(super) struct Change {
    /// The version that it makes, and the state then; `None` for a change of the lifecycle.
    pub(super) version: Option<(u64, State)>,
    pub(super) action: Action,
    pub(super) changed_fields: Option<Vec<&'static str>>,
    pub(super) at: Timestamp,
    /// The door; `None` is that of the import.
    pub(super) source: Option<Source>,
    pub(super) from: Option<ImportedFrom>,
}

/// A record that can become an item.
pub(super) struct ParsedRecord {
    pub(super) key: String,
    pub(super) kind: Kind,
    pub(super) id: Option<uuid::Uuid>,
    pub(super) state: State,
    pub(super) created_at: Timestamp,
    pub(super) updated_at: Timestamp,
    /// As the source has it, not clamped.
    pub(super) source_updated_at: Option<Timestamp>,
    pub(super) last_used_at: Option<Timestamp>,
    pub(super) archived_at: Option<Timestamp>,
    pub(super) deleted_at: Option<Timestamp>,
    /// Never empty: the last one that makes a version leads to `state`.
    pub(super) changes: Vec<Change>,
    pub(super) notices: Vec<String>,
    pub(super) hash: [u8; 32],
}

/// The kind of item that a record becomes.
pub(super) fn kind_of(record: &SourceRecord) -> Kind {
    match record.kind {
        SourceKind::Note => Kind::Note,
        SourceKind::Bookmark => Kind::Bookmark,
        SourceKind::Prompt => Kind::Prompt,
    }
}

impl ParsedRecord {
    /// Parses a record by the rules of its kind. Times that are to come become `now`.
    pub(super) fn parse(
        interline: &Interline,
        record: SourceRecord,
        hash: [u8; 32],
        now: Timestamp,
    ) -> Result<ParsedRecord, Error> {
        let clamped = |time: Timestamp| within_years(time).min(now);
        let kind = kind_of(&record);
        let times = [record.created_at, record.updated_at];
        let created_at = times[0].or(times[1]).map_or(now, clamped);
        let updated_at = times[1].or(times[0]).map_or(now, clamped).max(created_at);
        let since = |since: Since| since.timestamp().map_or(updated_at, clamped);
        let state = parse_state(interline, kind, record.fields, record.content)?;
        let mut changes = Vec::with_capacity(record.history.len() + 1);
        for change in record.history {
            changes.push(parse_change(interline, kind, change, updated_at, now)?);
        }
        let mut parsed = ParsedRecord {
            key: record.source_key,
            kind,
            id: record.id,
            state,
            created_at,
            updated_at,
            source_updated_at: times[1],
            last_used_at: record.last_used_at.map(clamped),
            archived_at: record.archived.map(since),
            deleted_at: record.deleted.map(since),
            changes,
            notices: record.notices,
            hash,
        };
        parsed.complete_changes(record.version)?;
        Ok(parsed)
    }

    /// Makes the changes lead to the state of the record, in the order of versions.
    fn complete_changes(&mut self, version: Option<u64>) -> Result<(), Error> {
        // What happened before the oldest version that is kept cannot be told without it.
        let first = self.changes.iter().position(|change| change.version.is_some()).unwrap_or(self.changes.len());
        self.changes.drain(..first);
        let mut last = 0;
        for change in &self.changes {
            if let Some((number, _)) = change.version {
                if number <= last || number > MAX_VERSION {
                    let message = format!(
                        "version {number} comes after version {last}; versions are counted up from 1 to {MAX_VERSION}"
                    );
                    return Err(Error::field("history", message));
                }
                last = number;
            }
        }
        let had_history = !self.changes.is_empty();
        let newest = self.changes.iter().rev().find_map(|change| change.version.as_ref().map(|(_, state)| state));
        if newest != Some(&self.state) {
            let next = version.filter(|version| *version > last).unwrap_or(last + 1);
            if next > MAX_VERSION {
                return Err(Error::field("version", format!("must be at most {MAX_VERSION}")));
            }
            let action = if had_history { Action::Update } else { Action::Create };
            self.changes.push(Change::made_here(Some((next, self.state.clone())), action, self.updated_at));
        }
        if !had_history {
            for (action, at) in [(Action::Archive, self.archived_at), (Action::Delete, self.deleted_at)] {
                self.changes.extend(at.map(|at| Change::made_here(None, action, at)));
            }
        }
        Ok(())
    }
}

impl Change {
    fn made_here(version: Option<(u64, State)>, action: Action, at: Timestamp) -> Change {
        Change { version, action, changed_fields: None, at, source: None, from: None }
    }
}

fn parse_state(
    interline: &Interline,
    kind: Kind,
    fields: SourceFields,
    content: Option<String>,
) -> Result<State, Error> {
    let argument = |argument: interline_interchange::SourceArgument| Argument {
        name: argument.name,
        description: argument.description,
        required: argument.required,
    };
    let draft = ItemDraft {
        title: fields.title,
        description: fields.description,
        tags: fields.tags,
        url: fields.url,
        name: fields.name,
        arguments: fields.arguments.map(|arguments| arguments.into_iter().map(argument).collect()),
        path: None,
        front_matter: fields.front_matter,
        content,
    };
    let (fields, content) = parse_draft(kind, draft, &interline.limits)?;
    Ok(State { fields, content })
}

fn parse_change(
    interline: &Interline,
    kind: Kind,
    change: SourceChange,
    updated_at: Timestamp,
    now: Timestamp,
) -> Result<Change, Error> {
    let invalid = |message: String| Error::field("history", message);
    let action = Action::from_name(&change.action)
        .ok_or_else(|| invalid(format!("there is no action `{}`", change.action.escape_debug())))?;
    let names = FIELD_NAMES.into_iter().filter(|name| change.changed_fields.iter().any(|changed| changed == name));
    let version = match (change.version, change.state) {
        (Some(number), Some(SourceVersion { fields, content })) => {
            Some((number, parse_state(interline, kind, fields, content)?))
        }
        (None, None) if matches!(action, Action::Create | Action::Update) => {
            return Err(invalid(format!("`{action}` makes a version, and this record has none")));
        }
        (None, None) => None,
        (Some(number), None) => return Err(invalid(format!("version {number} has no state"))),
        (None, Some(_)) => return Err(invalid("a state has no version".to_owned())),
    };
    Ok(Change {
        version,
        action,
        changed_fields: Some(names.collect()),
        at: change.at.map_or(updated_at, |at| within_years(at).min(now)),
        source: change.source.as_deref().and_then(Source::from_name),
        from: Some(ImportedFrom { user: change.user.map(author_name), token: change.token.map(author_name) }),
    })
}

/// A name that a history gives, as it may be shown: histories are read by programs and on terminals.
fn author_name(name: String) -> String {
    let is_short = name.chars().nth(MAX_AUTHOR_CHARACTERS).is_none();
    if is_short && !name.contains(char::is_control) {
        return name;
    }
    name.chars().filter(|character| !character.is_control()).take(MAX_AUTHOR_CHARACTERS).collect()
}

/// A time with the precision of the store, not before the first year that RFC 3339 can write.
fn within_years(time: Timestamp) -> Timestamp {
    let first = Timestamp::new(FIRST_SECOND, 0).unwrap_or(Timestamp::UNIX_EPOCH);
    to_microseconds(time).max(first)
}

/// How many bytes a record takes, about.
pub(super) fn record_bytes(record: &SourceRecord) -> usize {
    let of = |fields: &SourceFields, content: &Option<String>| {
        let texts = [&fields.title, &fields.description, &fields.url, &fields.name, &fields.front_matter, content];
        texts.into_iter().flatten().map(String::len).sum::<usize>() + fields.tags.iter().map(String::len).sum::<usize>()
    };
    let history = record
        .history
        .iter()
        .map(|change| 256 + change.state.as_ref().map_or(0, |state| of(&state.fields, &state.content)));
    512 + of(&record.fields, &record.content) + history.sum::<usize>()
}

/// The hash of a record: two records that would be imported alike have the same.
pub(super) fn record_hash(record: &SourceRecord) -> [u8; 32] {
    let mut hash = Hash(blake3::Hasher::new());
    hash.text(Some(record.kind.name()));
    hash.state(&record.fields, record.content.as_deref());
    let time = |time: Option<Timestamp>| time.map(Timestamp::as_microsecond);
    hash.numbers([time(record.created_at), time(record.updated_at), record.version.map(u64::cast_signed)]);
    let since = |since: Option<Since>| since.map(|since| time(since.timestamp()).unwrap_or(-1));
    hash.numbers([since(record.archived), since(record.deleted), i64::try_from(record.history.len()).ok()]);
    for change in &record.history {
        hash.text(Some(&change.action));
        hash.numbers([change.version.map(u64::cast_signed), time(change.at), None]);
        if let Some(state) = &change.state {
            hash.state(&state.fields, state.content.as_deref());
        }
    }
    *hash.0.finalize().as_bytes()
}

/// Hashes texts and numbers with their lengths, so that no two lists of them are confused.
struct Hash(blake3::Hasher);

impl Hash {
    fn text(&mut self, text: Option<&str>) {
        self.numbers([text.and_then(|text| i64::try_from(text.len()).ok())]);
        self.0.update(text.unwrap_or_default().as_bytes());
    }

    fn numbers<const N: usize>(&mut self, numbers: [Option<i64>; N]) {
        for number in numbers {
            self.0.update(&[u8::from(number.is_some())]);
            self.0.update(&number.unwrap_or_default().to_le_bytes());
        }
    }

    fn state(&mut self, fields: &SourceFields, content: Option<&str>) {
        let texts = [&fields.title, &fields.description, &fields.url, &fields.name, &fields.front_matter];
        texts.into_iter().for_each(|text| self.text(text.as_deref()));
        self.numbers([i64::try_from(fields.tags.len()).ok()]);
        fields.tags.iter().for_each(|tag| self.text(Some(tag)));
        let arguments = fields.arguments.as_deref();
        self.numbers([arguments.and_then(|arguments| i64::try_from(arguments.len()).ok())]);
        for argument in arguments.unwrap_or_default() {
            self.text(Some(&argument.name));
            self.text(argument.description.as_deref());
            self.numbers([argument.required.then_some(1)]);
        }
        self.text(content);
    }
}

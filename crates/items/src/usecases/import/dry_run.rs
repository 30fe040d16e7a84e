//! What a dry run says of a record after an earlier one of the same key: it cannot look at an item that was not written.

use std::collections::HashMap;

use super::Importer;
use super::record::{ParsedRecord, State};
use super::report::Outcome;

/// The states that items would have now, by the keys of their records; hashes of both, because a source may be of any size.
#[derive(Default)]
pub(super) struct ForetoldStates(HashMap<[u8; 32], [u8; 32]>);

impl ForetoldStates {
    /// Remembers that an item would have the state of this record.
    pub(super) fn remember(&mut self, parsed: &ParsedRecord) {
        self.0.insert(key_hash(parsed), state_hash(&parsed.state));
    }
}

impl Importer {
    /// Reports a record that shares its key, id, address or name with an earlier one. Of one key, the later record is a change
    /// of the item that the earlier one would have become; of the others it depends on what that item has by then.
    pub(super) fn foretell_repeated(&mut self, parsed: ParsedRecord) {
        let hash = state_hash(&parsed.state);
        match self.foretold.0.get_mut(&key_hash(&parsed)) {
            Some(state) => {
                let outcome = if *state == hash { Outcome::Unchanged } else { Outcome::Updated };
                *state = hash;
                self.report.done(outcome, &parsed.key, parsed.notices);
            }
            None => {
                let reason = "an earlier record of this import has the same id, address or name".to_owned();
                self.report.problem(Outcome::Skipped, parsed.key, reason);
            }
        }
    }
}

fn key_hash(parsed: &ParsedRecord) -> [u8; 32] {
    *blake3::hash(parsed.key.as_bytes()).as_bytes()
}

fn state_hash(state: &State) -> [u8; 32] {
    // All that a state has, without a list of its fields that could be forgotten.
    *blake3::hash(format!("{state:?}").as_bytes()).as_bytes()
}

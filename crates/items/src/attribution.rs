//! Attribution of changes: the client that made them, its reason, whether it is an agent, and the change set that they belong to.

use std::sync::Arc;

use jiff::Timestamp;

use crate::ChangeSetId;
use crate::fields::FieldError;
use crate::write::names;

/// The longest name of a client, in characters.
const MAX_CLIENT_NAME: usize = 100;
/// The longest version of a client, in characters.
const MAX_CLIENT_VERSION: usize = 50;
/// The longest reason, in characters.
const MAX_REASON: usize = 500;

/// Who made a change, why, and which other changes it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribution {
    /// The program that made it.
    pub client: Client,
    /// Why, in the client's words.
    pub reason: Option<Reason>,
    /// Whether a person or an agent made it.
    pub author: Author,
    /// What the client did in one go.
    pub change_set: ChangeSetRef,
}

impl Attribution {
    /// That of a change which a person makes with a program, in a change set of its own.
    pub fn by_person(client: Client) -> Attribution {
        Attribution { client, reason: None, author: Author::Person, change_set: ChangeSetRef::generate() }
    }
}

/// A change set, with the time that puts it in order among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChangeSetRef {
    /// When it was begun, to the millisecond. First, because sets are sorted by it.
    pub begun_at: Timestamp,
    /// Its identifier.
    pub id: ChangeSetId,
}

impl ChangeSetRef {
    /// A new set, whose identifier tells when it was begun.
    pub fn generate() -> ChangeSetRef {
        let id = ChangeSetId::generate();
        let begun_at = id.begun_at().unwrap_or(Timestamp::UNIX_EPOCH);
        ChangeSetRef { begun_at, id }
    }

    /// The set with an identifier that [`ChangeSetRef::generate`] may have made; `None` of another identifier, which a client
    /// has made up.
    pub fn from_generated(id: ChangeSetId) -> Option<ChangeSetRef> {
        id.begun_at().map(|begun_at| ChangeSetRef { begun_at, id })
    }
}

impl ChangeSetId {
    /// The time that is in an identifier of version 7.
    fn begun_at(self) -> Option<Timestamp> {
        let bytes = self.uuid().into_bytes();
        let milliseconds = bytes.iter().take(6).fold(0_i64, |time, byte| time << 8 | i64::from(*byte));
        let is_v7 = self.uuid().get_version_num() == 7;
        is_v7.then(|| Timestamp::from_millisecond(milliseconds).ok()).flatten()
    }
}

names! {
    /// Whether a person or an agent makes a change.
    Author {
        /// A person, or a program that a person runs.
        Person = "person",
        /// An agent: through an MCP server, or with a token that is for agents.
        Agent = "agent",
    }
}

names! {
    /// What a person has decided about a change.
    ReviewState {
        /// Nothing yet.
        Unreviewed = "unreviewed",
        /// It stays. Changes by people begin with it.
        Kept = "kept",
        /// It was taken back.
        Undone = "undone",
        /// Some of it was taken back.
        PartlyUndone = "partly_undone",
    }
}

impl ReviewState {
    /// That of a new change.
    pub const fn initial(author: Author) -> ReviewState {
        match author {
            Author::Person => ReviewState::Kept,
            Author::Agent => ReviewState::Unreviewed,
        }
    }
}

/// A program, as it calls itself. Cheap to clone: every write of it carries it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Client {
    name: Arc<str>,
    version: Option<Arc<str>>,
}

impl Client {
    /// Parses the name and the version of a client.
    pub fn parse(name: &str, version: Option<&str>) -> Result<Client, FieldError> {
        let refuse = |message: String| Err(FieldError::new("client", message));
        let (name, version) = (name.trim(), version.map(str::trim).filter(|version| !version.is_empty()));
        if name.is_empty() {
            return refuse("must have a name, such as `my-tool/1.2`".to_owned());
        }
        if [Some(name), version].into_iter().flatten().any(|text| text.contains(char::is_control)) {
            return refuse("must have no control characters".to_owned());
        }
        let lengths = (name.chars().count(), version.map_or(0, |version| version.chars().count()));
        if lengths.0 > MAX_CLIENT_NAME || lengths.1 > MAX_CLIENT_VERSION {
            return refuse(format!(
                "must have a name of at most {MAX_CLIENT_NAME} characters and a version of at most {MAX_CLIENT_VERSION}"
            ));
        }
        Ok(Client { name: name.into(), version: version.map(Into::into) })
    }

    /// What a client says of itself where nobody can correct it: what cannot be kept is left out. `None` if nothing is left.
    pub fn from_self_description(name: &str, version: Option<&str>) -> Option<Client> {
        let kept = |text: &str, most: usize| {
            let text: String = text.chars().filter(|c| !c.is_control()).take(most).collect();
            text.trim().to_owned()
        };
        let version = version.map(|version| kept(version, MAX_CLIENT_VERSION));
        Client::parse(&kept(name, MAX_CLIENT_NAME), version.as_deref()).ok()
    }

    /// A client that was stored.
    pub fn from_stored(name: String, version: Option<String>) -> Client {
        Client { name: name.into(), version: version.map(Into::into) }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its version, if it told it.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }
}

/// Why a change is made, in the words of who makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason(String);

impl Reason {
    /// Parses a reason; a blank one is none.
    pub fn parse(text: &str) -> Result<Option<Reason>, FieldError> {
        let text = text.trim();
        let length = text.chars().count();
        if length > MAX_REASON {
            let message = format!("has {length} characters; at most {MAX_REASON} are allowed");
            return Err(FieldError::new("reason", message));
        }
        if text.contains('\0') {
            return Err(FieldError::new("reason", "must not contain the character NUL"));
        }
        Ok((!text.is_empty()).then(|| Reason(text.to_owned())))
    }

    /// A reason that was stored.
    pub fn from_stored(text: String) -> Reason {
        Reason(text)
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_set_is_found_again_by_its_identifier() {
        let set = ChangeSetRef::generate();
        assert_eq!(ChangeSetRef::from_generated(set.id), Some(set));
        let made_up = ChangeSetId::from_uuid(uuid::Uuid::from_bytes([0x44; 16]));
        assert_eq!(ChangeSetRef::from_generated(made_up), None);
    }

    #[test]
    fn a_client_has_a_name_of_visible_characters() {
        assert_eq!(Client::parse(" tool ", Some("")).unwrap(), Client { name: "tool".into(), version: None });
        let long = "x".repeat(MAX_CLIENT_NAME + 1);
        for (name, version) in [("", None), (" ", Some("1")), ("a\nb", None), ("a", Some("\u{7}")), (&long, None)] {
            assert!(Client::parse(name, version).is_err(), "{name:?} {version:?}");
        }
    }

    #[test]
    fn what_a_client_says_of_itself_is_cut_to_what_can_be_kept() {
        let said = Client::from_self_description(&"é".repeat(300), Some("1\u{0}.2")).unwrap();
        assert_eq!((said.name().chars().count(), said.version()), (MAX_CLIENT_NAME, Some("1.2")));
        assert_eq!(Client::from_self_description("\n \t", Some("1")), None);
    }

    #[test]
    fn a_reason_is_short_and_a_blank_one_is_none() {
        assert_eq!(Reason::parse(" fix dates\n").unwrap().unwrap().as_str(), "fix dates");
        assert_eq!(Reason::parse(" \n").unwrap(), None);
        assert!(Reason::parse(&"é".repeat(MAX_REASON)).is_ok());
        assert!(Reason::parse(&"é".repeat(MAX_REASON + 1)).is_err());
        assert!(Reason::parse("a\0b").is_err());
    }
}

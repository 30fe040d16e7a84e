//! The messages of errors and the suggestions what to do next, as all doors print them.

use std::fmt;

use interline_edit::{Level, MultipleMatches, NoMatch, NoMatchCause};

use super::{Error, IdempotencyKeyProblem, NeedsText, OverloadCause, Overloaded, PassageField, PassageRole, Refusal};
use crate::KindMismatch;
use crate::fields::FieldError;
use crate::{ItemId, Kind, MergeOffer, View};

impl Error {
    /// What to do next.
    pub fn suggestion(&self) -> String {
        match self {
            Error::NotFound { actual: None, .. } => "check the id or name, or list items to find it".to_owned(),
            Error::NotFound { actual: Some(actual), .. } => format!("ask for it as a {actual}"),
            Error::Missing { hint, .. } => (*hint).to_owned(),
            Error::TagNotFound(_) => "list the tags to find it".to_owned(),
            Error::VersionNotFound { current, .. } => {
                format!("list the history of the item to see which versions are kept; the newest is {current}")
            }
            Error::ValidationFailed(_) => "correct the fields named in `errors`".to_owned(),
            Error::UnknownSpace(_) => "list your spaces to find its id".to_owned(),
            Error::InvalidIdempotencyKey(_) => "use another idempotency key".to_owned(),
            Error::TooLarge { .. } => "split the content into several items".to_owned(),
            Error::PageTooLarge { .. } => "lower `limit`, or read the items one by one".to_owned(),
            Error::InvalidTemplate { undefined_variables, unused_arguments, .. } => {
                after_template(undefined_variables, unused_arguments).to_owned()
            }
            Error::InvalidCode(_) => "correct the code at the line and column given; nothing was stored".to_owned(),
            Error::EntityTypeMismatch(KindMismatch { declared, detected, .. }) => {
                format!("use entity_type '{}', or make the code a {}", detected.name(), declared.name())
            }
            Error::InvalidArguments { missing, unknown } => after_arguments(missing, unknown),
            Error::RenderFailed { .. } => "correct the template or the arguments".to_owned(),
            Error::InvalidLines { total_lines: 1 } => "ask for line 1".to_owned(),
            Error::InvalidLines { total_lines } => format!("ask for lines from 1 to {total_lines}"),
            Error::ContentEmpty(NeedsText::Lines) => {
                "read the item without `start_line` and `end_line`, or write a content first".to_owned()
            }
            Error::ContentEmpty(_) => {
                "there is no text to change yet: give the item a whole `content` first".to_owned()
            }
            Error::CursorExpired { .. } => "read again what you need to know, and listen from `cursor` on".to_owned(),
            Error::InvalidParameters(_) => "change or leave out a parameter that is named".to_owned(),
            Error::InvalidPattern { position: None, .. } => {
                "make the expression simpler (no look-around, no back-references), or search for the literal text"
                    .to_owned()
            }
            Error::InvalidPattern { position: Some(_), .. } => {
                "correct the expression (no look-around, no back-references), or search for the literal text".to_owned()
            }
            Error::NoMatch { field, none, merged: None } => after_no_match(*field, none),
            Error::NoMatch { merged: Some(offer), .. } => after_offer(offer),
            Error::LostIndentation { merged, .. } => after_lost_indentation(merged.as_deref()),
            Error::StaleOffer { .. } => AFTER_STALE_OFFER.to_owned(),
            Error::MultipleMatches { field, many } => after_multiple_matches(*field, many),
            Error::InvalidOperations { total: 0, .. } => {
                "give at least one operation with `start_line`, `end_line` and `content`".to_owned()
            }
            Error::InvalidOperations { .. } => {
                "correct the operations named; line numbers are those of the content before the patch".to_owned()
            }
            Error::AtEdit { index, error, .. } => after_edit_of_several(*index, error),
            Error::Conflict { current, merge: Some(merge), .. } => merge.suggestion(current.stamp.version),
            Error::Conflict { current, .. } | Error::StaleLines { current, .. } => {
                let version = current.stamp.version;
                format!("nothing was applied: read the item again, then repeat the change on version {version}")
            }
            Error::Duplicate { existing, .. } => match View::from_item(existing) {
                View::Archived => format!("change item {} instead; it is archived", existing.id),
                View::Active | View::Deleted => format!("change item {} instead", existing.id),
            },
            Error::SlugTaken(app) => format!("choose another `slug`, or change app {}, which has it", app.id),
            Error::KeyInFlight => "wait for its answer, or send the same request again in a moment".to_owned(),
            Error::Unauthorized => {
                "check it for typing errors, or make a new one with `interline token add`".to_owned()
            }
            Error::Forbidden(refusal) => after_refusal(*refusal),
            Error::Unavailable(_) => "nothing was applied; try again later".to_owned(),
            Error::Overloaded(overloaded) => after_overload(*overloaded),
            Error::Unknown(_) => "it may have been applied: read the item before sending it again, or send it again \
                                  with the same idempotency key"
                .to_owned(),
            Error::CorruptContent { versions, .. } => after_damage(versions),
            Error::ChangeSet(error) => error.suggestion().to_owned(),
            Error::Proposal(error) => error.suggestion(),
            Error::Internal(_) => "nothing was applied; report the request id if it happens again".to_owned(),
        }
    }
}

impl Error {
    /// The message with the detail that is for the log alone: paths, and what the database said.
    pub fn with_detail(&self) -> String {
        match self {
            Error::Unavailable(detail)
            | Error::Unknown(detail)
            | Error::Internal(detail)
            | Error::CorruptContent { detail, .. } => format!("{self}: {detail}"),
            error => error.to_string(),
        }
    }
}

fn after_arguments(missing: &[String], unknown: &[String]) -> String {
    match (missing.is_empty(), unknown.is_empty()) {
        (false, true) => "give all `missing` arguments",
        (true, false) => "leave out the `unknown` arguments",
        (false, false) | (true, true) => "give all `missing` arguments and none of the `unknown`",
    }
    .to_owned()
}

/// What the further lines of a change of code are.
const NOT_INDENTED: &str = "the lines that would be written after it are not: they may break the block";

const AFTER_STALE_OFFER: &str = "nothing was applied: repeat the request without `merged`; if it is refused again, the \
                                 refusal has the id of the present offer";

fn after_offer(offer: &MergeOffer) -> String {
    format!(
        "check the `diff` of `merged`; if that change is meant, repeat the request with `merged`: \"{}\"; else correct \
         the passage by `nearest`",
        offer.id
    )
}

fn after_lost_indentation(offer: Option<&MergeOffer>) -> String {
    match offer {
        Some(offer) => format!(
            "check the `diff` of `merged`, which indents them; if it is meant, repeat the request with `merged`: \"{}\"; \
             else begin the old text at the start of its line, and indent every line of the new one",
            offer.id
        ),
        None => {
            "begin the old text at the start of its line, with its indentation, and indent every line of the new one"
                .to_owned()
        }
    }
}

fn after_edit_of_several(index: usize, error: &Error) -> String {
    format!("{}; no edit was made: send all of them again, with `edits[{index}]` corrected", error.suggestion())
}

fn after_no_match(field: PassageField, none: &NoMatch) -> String {
    let name = field.name;
    match &none.cause {
        Some(NoMatchCause::Capped { level, .. }) if *level <= loosest_of(field) => {
            format!("allow `match`: \"{level}\", or copy the text as it stands")
        }
        Some(NoMatchCause::OtherIndentation { line }) => {
            format!("copy the text around line {line} as it stands into `{name}`")
        }
        Some(NoMatchCause::Capped { line, .. } | NoMatchCause::OtherCase { line }) => {
            format!("copy the text as it stands from line {line} on into `{name}`")
        }
        Some(NoMatchCause::CannotIndent { new_line, .. }) => {
            format!("give `{name}` as it stands in the content, and line {new_line} of `new_str` indented to suit")
        }
        Some(NoMatchCause::LostBlanks { line }) => {
            format!("copy the text as it stands from line {line} on into `{name}`, and its blanks into `new_str`")
        }
        Some(NoMatchCause::AlreadyApplied { line }) => {
            format!("read around line {line}; if the change is there, nothing is left to do")
        }
        Some(NoMatchCause::EscapedNewlines { .. }) => format!("send real line breaks in `{name}`, not backslash and n"),
        Some(NoMatchCause::EscapedQuotes { .. }) => format!("send the quotes in `{name}` without backslashes"),
        Some(NoMatchCause::LineNumbers { .. }) => format!("take the line numbers off the lines of `{name}`"),
        Some(NoMatchCause::Elision { .. }) => "give every line of the passage, or name a shorter one".to_owned(),
        Some(NoMatchCause::Blank) => format!("add text of a line beside the blanks to `{name}`"),
        None => match none.nearest.first() {
            Some(nearest) if nearest.first_line == nearest.last_line => format!(
                "compare with `nearest`; if line {} is meant, copy its text as it stands into `{name}`",
                nearest.first_line
            ),
            Some(nearest) => format!(
                "compare with `nearest`; if lines {} to {} are meant, copy their text as it stands into `{name}`",
                nearest.first_line, nearest.last_line
            ),
            None => "search inside the item for a word of it, or read the content again".to_owned(),
        },
    }
}

/// The loosest level that a request can allow for a passage.
fn loosest_of(field: PassageField) -> Level {
    match field.role {
        PassageRole::Replaced | PassageRole::Deleted => Level::SpacingNormalized,
        PassageRole::Anchor => Level::WhitespaceNormalized,
    }
}

fn after_multiple_matches(field: PassageField, many: &MultipleMatches) -> String {
    let (name, total) = (field.name, many.total);
    if total == many.expected {
        return format!("name a longer passage in `{name}`: these places share characters");
    }
    if total < many.expected {
        let places = if total == 1 { "only one is" } else { "all of them are" };
        return format!(
            "give `expected_matches`: {total} if {places} meant, or a passage in `{name}` that the others have too"
        );
    }
    let longer = format!("add lines around the one that is meant until `{name}` is unique");
    match field.role {
        PassageRole::Anchor => longer,
        PassageRole::Replaced => format!("{longer}, or give `expected_matches`: {total} to replace all"),
        PassageRole::Deleted => format!("{longer}, or give `expected_matches`: {total} to delete all"),
    }
}

fn after_damage(whole_versions: &[u64]) -> String {
    if whole_versions.is_empty() {
        return "nothing was applied; write the whole content anew, or have the operator restore a copy".to_owned();
    }
    "nothing was applied; restore one of `versions`, or write the whole content anew".to_owned()
}

fn after_overload(overloaded: Overloaded) -> String {
    match overloaded.cause {
        OverloadCause::Caller => {
            "nothing was applied; wait for the answers to your other requests, then try again".to_owned()
        }
        OverloadCause::Everyone => {
            format!("nothing was applied; try again in {} s", Overloaded::RETRY_AFTER_SECONDS)
        }
    }
}

/// After a template that was refused, for its syntax or for its arguments.
fn after_template(undefined_variables: &[String], unused_arguments: &[String]) -> &'static str {
    if undefined_variables.is_empty() && unused_arguments.is_empty() {
        "correct the template at the line given"
    } else {
        "give every variable an argument and use every argument: send the new text and the whole list of `arguments` in \
         one request"
    }
}

fn after_refusal(refusal: Refusal) -> String {
    match refusal {
        Refusal::Scope(scope) => format!("use a token with the scope `{}`", scope.name()),
        Refusal::NotAdmin => "ask an admin to do it".to_owned(),
        Refusal::Role => "ask an owner of the space for the role of a writer".to_owned(),
        Refusal::Kind(kind) => format!("use a token that is not narrowed to other kinds than {kind}"),
        Refusal::OwnSpace => "use a token that is not narrowed to other spaces than the user's own".to_owned(),
        Refusal::Narrowed => "use a token that is not narrowed to kinds or spaces".to_owned(),
        Refusal::Agent | Refusal::OnlyProposes => "ask a person to do it".to_owned(),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotFound { kind, requested, actual } => fmt_not_found(f, *kind, requested, *actual),
            Error::Missing { what, requested, .. } => write!(f, "there is no {what} {requested}"),
            Error::TagNotFound(tag) => write!(f, "there is no item with the tag {tag}"),
            Error::VersionNotFound { kind, id, version, .. } => {
                write!(f, "there is no version {version} of {kind} {id}")
            }
            Error::ValidationFailed(errors) => fmt_field_errors(f, errors),
            Error::PageTooLarge { limit, actual } => {
                write!(f, "the contents of this page have {actual} bytes together, and {limit} are allowed")
            }
            Error::TooLarge { limit, actual } => {
                write!(f, "the content has {actual} bytes, and {limit} are allowed")
            }
            Error::InvalidTemplate { line: Some(line), detail, .. } => {
                write!(f, "the template is not valid on line {line}: {detail}")
            }
            Error::InvalidTemplate { line: None, detail, .. } => write!(f, "the template is not valid: {detail}"),
            Error::InvalidCode(error) => write!(f, "the code is not valid on {error}"),
            Error::EntityTypeMismatch(mismatch) => mismatch.fmt(f),
            Error::InvalidArguments { missing, unknown } => fmt_arguments(f, missing, unknown),
            Error::RenderFailed { line: Some(line), detail } => write!(f, "rendering failed on line {line}: {detail}"),
            Error::RenderFailed { line: None, detail } => write!(f, "rendering failed: {detail}"),
            Error::InvalidLines { total_lines } => {
                write!(f, "the content has {total_lines} line{}", if *total_lines == 1 { "" } else { "s" })
            }
            Error::ContentEmpty(needs) => write!(f, "Content is empty; cannot {needs}"),
            Error::InvalidParameters(what) => f.write_str(what),
            Error::CursorExpired { .. } => f.write_str("what happened after this cursor is not known any more"),
            Error::InvalidPattern { detail, position: Some(position) } => {
                write!(f, "not a regular expression: {detail} (at byte {position})")
            }
            Error::InvalidPattern { detail, position: None } => {
                write!(f, "the regular expression cannot be used: {detail}")
            }
            Error::LostIndentation { line, .. } => write!(f, "line {line} is indented, and {NOT_INDENTED}"),
            Error::StaleOffer { current } => write!(
                f,
                "`merged` does not name a change of this request in version {} of the item",
                current.stamp.version
            ),
            Error::NoMatch { field, none, .. } => match &none.cause {
                Some(cause) => write!(f, "`{}` could not be matched: {cause}", field.name),
                None => write!(f, "`{}` was not found in the content", field.name),
            },
            Error::MultipleMatches { field, many } => fmt_multiple_matches(f, *field, many),
            Error::InvalidOperations { operations, total } => match operations.as_slice() {
                [] => f.write_str("there are no operations"),
                [one] => write!(f, "operation {}: {}", one.index, one.problem),
                _ => write!(f, "{total} operations cannot be applied"),
            },
            Error::StaleLines { operations, total, .. } => match operations.as_slice() {
                [one] => write!(f, "the lines of operation {} are not what its `expect` says", one.index),
                _ => write!(f, "the lines of {total} operations are not what their `expect` says"),
            },
            Error::AtEdit { index, total, error } => {
                write!(f, "`edits[{index}]` (the {} of {total}): {error}", Ordinal(index + 1))
            }
            Error::Conflict { expected_version, current, merge, .. } => {
                let version = current.stamp.version;
                write!(f, "the item is at version {version}, and version {expected_version} was expected")?;
                merge.as_ref().map_or(Ok(()), |merge| write!(f, "; {merge}"))
            }
            Error::Duplicate { field, .. } => write!(f, "another item has the {} {}", field.name(), field.value()),
            Error::SlugTaken(app) => write!(f, "another app has the slug {}", app.slug.as_str()),
            Error::UnknownSpace(space) => write!(f, "there is no space {space}"),
            Error::InvalidIdempotencyKey(problem) => write!(f, "the idempotency key {problem}"),
            Error::KeyInFlight => f.write_str("a request with the same idempotency key is being carried out"),
            Error::Unauthorized => f.write_str("the token is not valid: it is mistyped, removed or expired"),
            Error::Forbidden(refusal) => refusal.fmt(f),
            Error::Unavailable(_) => f.write_str("the store cannot do this now"),
            Error::Overloaded(overloaded) => overloaded.fmt(f),
            Error::Unknown(_) => f.write_str("the store lost the answer to this change"),
            Error::CorruptContent { item, .. } => fmt_damage(f, *item),
            Error::ChangeSet(error) => error.fmt(f),
            Error::Proposal(error) => error.fmt(f),
            Error::Internal(_) => f.write_str("something went wrong inside the server"),
        }
    }
}

fn fmt_not_found(f: &mut fmt::Formatter<'_>, kind: Option<Kind>, requested: &str, actual: Option<Kind>) -> fmt::Result {
    write!(f, "there is no {} {requested}", kind.map_or("item", Kind::name))?;
    actual.map_or(Ok(()), |actual| write!(f, " here: it is a {actual}"))
}

impl fmt::Display for Overloaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.cause {
            OverloadCause::Caller => write!(f, "your requests fill your share of the {}", self.resource),
            OverloadCause::Everyone => write!(f, "the {} is full", self.resource),
        }
    }
}

/// Each field with what is wrong about it: the doors that list them as data show another message.
fn fmt_field_errors(f: &mut fmt::Formatter<'_>, errors: &[FieldError]) -> fmt::Result {
    for (index, error) in errors.iter().enumerate() {
        let separator = if index == 0 { "" } else { "; " };
        write!(f, "{separator}{error}")?;
    }
    Ok(())
}

/// Names the missing and the unknown arguments of a prompt: some clients show nothing but the message.
fn fmt_arguments(f: &mut fmt::Formatter<'_>, missing: &[String], unknown: &[String]) -> fmt::Result {
    let parts = [("missing", missing), ("unknown", unknown)];
    let parts = parts.into_iter().filter(|(_, names)| !names.is_empty());
    for (index, (problem, names)) in parts.enumerate() {
        let separator = if index == 0 { "" } else { "; " };
        let s = if names.len() == 1 { "" } else { "s" };
        write!(f, "{separator}{problem} argument{s}: {}", quoted_names(names))?;
    }
    Ok(())
}

/// Names as a message lists them, each in backticks: the first of them, if they are many.
pub fn quoted_names<S: AsRef<str>>(names: &[S]) -> String {
    const MAX_NAMES: usize = 5;
    const MAX_CHARS: usize = 80;
    let quoted = |name: &S| format!("`{}`", name.as_ref().chars().take(MAX_CHARS).collect::<String>());
    let listed: Vec<String> = names.iter().take(MAX_NAMES).map(quoted).collect();
    let more = match names.len().saturating_sub(MAX_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", listed.join(", "))
}

fn fmt_damage(f: &mut fmt::Formatter<'_>, item: Option<ItemId>) -> fmt::Result {
    match item {
        Some(item) => write!(f, "what is stored of item {item} is damaged: it is not what was written"),
        None => f.write_str("what is stored is damaged: it is not what was written"),
    }
}

fn fmt_multiple_matches(f: &mut fmt::Formatter<'_>, field: PassageField, many: &MultipleMatches) -> fmt::Result {
    let (name, total, expected) = (field.name, many.total, many.expected);
    if total == expected {
        return write!(f, "the {total} places of `{name}` overlap");
    }
    let (s, were) = (if total == 1 { "" } else { "s" }, if expected == 1 { "was" } else { "were" });
    let only = if total < expected { "only " } else { "" };
    write!(f, "`{name}` is in {only}{total} place{s} where {expected} {were} expected")
}

/// A place in an order, displayed as `1st`, `2nd`, `11th`.
struct Ordinal(usize);

impl fmt::Display for Ordinal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ending = match (self.0 % 10, self.0 % 100) {
            (_, 11..=13) => "th",
            (1, _) => "st",
            (2, _) => "nd",
            (3, _) => "rd",
            _ => "th",
        };
        write!(f, "{}{ending}", self.0)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Scope(scope) => write!(f, "the token does not have the scope `{}`", scope.name()),
            Refusal::NotAdmin => f.write_str("only admins may do this"),
            Refusal::Role => f.write_str("the user may only read in the space of this item"),
            Refusal::Kind(kind) => write!(f, "the token is narrowed to kinds other than {kind}"),
            Refusal::OwnSpace => f.write_str("the token is narrowed to spaces other than the user's own"),
            Refusal::Narrowed => f.write_str("the token is narrowed to kinds or spaces, and this takes a whole one"),
            Refusal::Agent => f.write_str("agents may not do this, whatever their token allows"),
            Refusal::OnlyProposes => f.write_str("this token may only propose changes of items"),
        }
    }
}

impl fmt::Display for IdempotencyKeyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IdempotencyKeyProblem::Malformed { max_chars } => {
                write!(f, "must be from 1 to {max_chars} visible ASCII characters")
            }
            IdempotencyKeyProblem::Reused => f.write_str("was used for another request; use a new key"),
        }
    }
}

impl fmt::Display for NeedsText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NeedsText::Lines => "retrieve lines",
            NeedsText::Replace => "replace text",
            NeedsText::Patch => "patch lines",
            NeedsText::Insert => "insert beside a text",
            NeedsText::Delete => "delete text",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, Scope, StoreError};

    #[test]
    fn what_is_for_the_log_is_in_no_message() {
        for error in [Error::Unavailable, Error::Unknown, Error::Internal].map(|error| error("/var/x.db".to_owned())) {
            assert!(!format!("{error} {}", error.suggestion()).contains("/var"), "{error}");
        }
    }

    #[test]
    fn the_log_has_the_detail_and_no_debug_output() {
        let failed = Error::Unavailable("disk full".to_owned());
        assert_eq!(failed.with_detail(), "the store cannot do this now: disk full");
        assert_eq!(Error::KeyInFlight.with_detail(), Error::KeyInFlight.to_string());
    }

    #[test]
    fn only_a_lost_answer_may_have_been_applied() {
        for (error, applied) in [
            (Error::Unavailable(String::new()), "nothing was applied"),
            (Error::from(StoreError::Unknown(String::new())), "it may have been applied"),
            (Error::Internal(String::new()), "nothing was applied"),
        ] {
            assert!(error.suggestion().starts_with(applied), "{error}: {}", error.suggestion());
        }
    }

    #[test]
    fn arguments_are_named() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        for (missing, unknown, message) in [
            (&["code"][..], &[][..], "missing argument: `code`"),
            (&["a", "b"], &["x"], "missing arguments: `a`, `b`; unknown argument: `x`"),
            (&[], &["1", "2", "3", "4", "5", "6", "7"], "unknown arguments: `1`, `2`, `3`, `4`, `5` and 2 more"),
        ] {
            let error = Error::InvalidArguments { missing: names(missing), unknown: names(unknown) };
            assert_eq!(error.to_string(), message);
        }
        let long = Error::InvalidArguments { missing: Vec::new(), unknown: vec!["x".repeat(10_000)] };
        assert!(long.to_string().len() < 120, "{long}");
    }

    #[test]
    fn a_refusal_suggests_what_would_help() {
        for (refusal, suggestion) in [
            (Refusal::Scope(Scope::Write), "use a token with the scope `write`"),
            (Refusal::NotAdmin, "ask an admin to do it"),
            (Refusal::Role, "ask an owner of the space for the role of a writer"),
            (Refusal::Kind(Kind::Note), "use a token that is not narrowed to other kinds than note"),
            (Refusal::OwnSpace, "use a token that is not narrowed to other spaces than the user's own"),
            (Refusal::Narrowed, "use a token that is not narrowed to kinds or spaces"),
            (Refusal::Agent, "ask a person to do it"),
            (Refusal::OnlyProposes, "ask a person to do it"),
        ] {
            assert_eq!(Error::Forbidden(refusal).suggestion(), suggestion);
        }
    }

    #[test]
    fn every_field_that_is_refused_is_named_with_its_reason() {
        let errors = vec![FieldError::new("title", "is required"), FieldError::new("tags[0]", "must not be blank")];
        assert_eq!(Error::ValidationFailed(errors).to_string(), "title: is required; tags[0]: must not be blank");
    }

    #[test]
    fn what_needs_a_text_says_what_for() {
        let error = Error::ContentEmpty(NeedsText::Lines);
        assert_eq!(error.to_string(), "Content is empty; cannot retrieve lines");
        assert!(error.suggestion().contains("`start_line`"), "{}", error.suggestion());
        let error = Error::ContentEmpty(NeedsText::Replace);
        assert_eq!(error.to_string(), "Content is empty; cannot replace text");
        assert!(error.suggestion().contains("a whole `content` first"), "{}", error.suggestion());
    }

    #[test]
    fn an_expression_that_takes_too_long_is_not_called_a_mistake() {
        let slow = Error::InvalidPattern { detail: "it takes more than 2 seconds".to_owned(), position: None };
        assert_eq!(slow.to_string(), "the regular expression cannot be used: it takes more than 2 seconds");
        assert!(slow.suggestion().contains("simpler"), "{}", slow.suggestion());
    }
}

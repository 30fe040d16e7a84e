//! `ETag`, `If-None-Match` and `If-Match`.
//!
//! The tag of an item is `"<version>.<revision>"`: two answers with the same tag show the same content and fields. A
//! write compares the version alone, so that archiving an item does not refuse an edit of it.

use axum::http::header::{IF_MATCH, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use interline_items::fields::FieldError;
use interline_items::{Error, Expectation, ExpectedVersion, Stamp};

/// The tag of a state.
pub(super) fn etag(stamp: Stamp) -> HeaderValue {
    // Digits and quotes are always a valid value.
    HeaderValue::try_from(format!("\"{}.{}\"", stamp.version, stamp.revision))
        .unwrap_or(HeaderValue::from_static("\"\""))
}

/// The headers that are read here, alone.
pub(super) fn headers_of(headers: &HeaderMap) -> HeaderMap {
    let values = |name: HeaderName| headers.get_all(&name).iter().map(move |value| (name.clone(), value.clone()));
    [IF_MATCH, IF_NONE_MATCH].into_iter().flat_map(values).collect()
}

/// The states that the sender of a request knows.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// None.
    Nothing,
    /// These.
    States(Vec<Stamp>),
    /// Whichever it is.
    Anything,
}

impl Known {
    /// Whether a state is one of them.
    pub(super) fn has(&self, stamp: Stamp) -> bool {
        match self {
            Known::Nothing => false,
            Known::States(states) => states.contains(&stamp),
            Known::Anything => true,
        }
    }
}

/// The states of `If-None-Match`. What is not a tag of ours is ignored: the answer is then sent whole.
pub(super) fn known(headers: &HeaderMap) -> Known {
    let mut states = Vec::new();
    let values = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    for tag in values.flat_map(|list| list.split(',').map(str::trim)) {
        match stamp_of(tag) {
            _ if tag == "*" => return Known::Anything,
            Some((version, Some(revision))) => states.push(Stamp { version, revision }),
            Some((_, None)) | None => {}
        }
    }
    if states.is_empty() { Known::Nothing } else { Known::States(states) }
}

/// The version that a write expects, by the body or by `If-Match`.
///
/// A header that cannot be understood is refused: ignoring it would make the write unconditional.
pub(super) fn expected(headers: &HeaderMap, in_body: Option<u64>) -> Result<ExpectedVersion, Error> {
    let mut values = headers.get_all(IF_MATCH).iter();
    let in_header = match (values.next(), values.next()) {
        (None, _) => None,
        (Some(value), None) => Some(if_match(value)?),
        (Some(_), Some(_)) => return Err(unclear()),
    };
    match (in_header, in_body) {
        (in_header, None) => Ok(in_header.unwrap_or_default()),
        (None | Some(ExpectedVersion::Any | ExpectedVersion::Existing), Some(version)) => {
            Ok(ExpectedVersion::Exactly(version, Expectation::ExpectedVersion))
        }
        (Some(ExpectedVersion::Exactly(header, how)), Some(body)) if header == body => {
            Ok(ExpectedVersion::Exactly(header, how))
        }
        (Some(ExpectedVersion::Exactly(..)), Some(_)) => {
            let message = "differs from the version in `If-Match`; give one of them";
            Err(Error::ValidationFailed(vec![FieldError::new("expected_version", message)]))
        }
    }
}

fn if_match(value: &HeaderValue) -> Result<ExpectedVersion, Error> {
    let text = value.to_str().map_err(|_| unclear())?;
    match text.trim() {
        "*" => Ok(ExpectedVersion::Existing),
        tag => {
            let (version, _) = stamp_of(tag).ok_or_else(unclear)?;
            Ok(ExpectedVersion::Exactly(version, Expectation::Precondition))
        }
    }
}

fn unclear() -> Error {
    let message = "must be one tag as in `ETag`, such as \"3.0\", or *";
    Error::ValidationFailed(vec![FieldError::new("If-Match", message)])
}

/// The version and, where it is given, the revision of a tag; weak ones count like strong ones.
fn stamp_of(tag: &str) -> Option<(u64, Option<u64>)> {
    let tag = tag.strip_prefix("W/").unwrap_or(tag);
    let inner = tag.strip_prefix('"')?.strip_suffix('"')?;
    match inner.split_once('.') {
        None => Some((number(inner)?, None)),
        Some((version, revision)) => Some((number(version)?, Some(number(revision)?))),
    }
}

/// Digits only: `parse` would take a sign too.
fn number(digits: &str) -> Option<u64> {
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &HeaderName, values: &[&str]) -> HeaderMap {
        values.iter().map(|value| (name.clone(), HeaderValue::from_str(value).unwrap())).collect()
    }

    #[test]
    fn states_are_known_by_their_tags_in_any_form() {
        let stamp = |version, revision| Stamp { version, revision };
        assert_eq!(etag(stamp(3, 1)), "\"3.1\"");
        for (values, states) in [
            (&["\"3.1\""][..], vec![stamp(3, 1)]),
            (&["W/\"3.1\""], vec![stamp(3, 1)]),
            (&["\"1.0\", \"3.1\""], vec![stamp(1, 0), stamp(3, 1)]),
            (&["\"1.0\"", "\"3.1\""], vec![stamp(1, 0), stamp(3, 1)]),
            (&["x, \"3.1\""], vec![stamp(3, 1)]),
        ] {
            assert_eq!(known(&headers(&IF_NONE_MATCH, values)), Known::States(states), "{values:?}");
        }
        for values in [&["\"3\""][..], &["3.1"], &["\"+3.1\""], &["\"\"", "\"", "W/", ",,,", "\"3.1.\""], &[]] {
            assert_eq!(known(&headers(&IF_NONE_MATCH, values)), Known::Nothing, "{values:?}");
        }
        assert_eq!(known(&headers(&IF_NONE_MATCH, &["*"])), Known::Anything);
    }

    #[test]
    fn a_write_compares_the_version_only() {
        let three = ExpectedVersion::Exactly(3, Expectation::Precondition);
        for (value, version) in
            [("\"3.1\"", three), ("W/\"3.9\"", three), ("\"3\"", three), ("*", ExpectedVersion::Existing)]
        {
            assert_eq!(expected(&headers(&IF_MATCH, &[value]), None).unwrap(), version, "{value}");
        }
        assert_eq!(expected(&HeaderMap::new(), None).unwrap(), ExpectedVersion::Any);
        let both = expected(&headers(&IF_MATCH, &["\"4.1\""]), Some(4)).unwrap();
        assert_eq!(both, ExpectedVersion::Exactly(4, Expectation::Precondition));
    }

    #[test]
    fn a_condition_that_cannot_be_understood_is_refused() {
        for values in [
            &["3.1"][..],
            &["\"x\""],
            &[""],
            &["\"3.1\", \"4.0\""],
            &["\"3.1\"", "\"4.0\""],
            &["\"99999999999999999999.0\""],
        ] {
            assert!(expected(&headers(&IF_MATCH, values), None).is_err(), "{values:?}");
        }
        assert!(expected(&headers(&IF_MATCH, &["\"3.1\""]), Some(4)).is_err());
    }
}

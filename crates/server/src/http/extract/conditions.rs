//! Conditional requests: `ETag`, `If-None-Match` and `If-Match`.
//!
//! The tag of an item is `"<version>.<revision>"`: two responses with the same tag show the same content and fields. A
//! write compares the version alone, so that archiving an item does not refuse an edit of it.

use axum::http::header::{IF_MATCH, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use interline_items::fields::FieldError;
use interline_items::{Error, Expectation, ExpectedVersion, Stamp};

/// The tag of an item's state.
pub(in crate::http) fn etag(stamp: Stamp) -> HeaderValue {
    // Digits and quotes are always a valid value.
    HeaderValue::try_from(format!("\"{}.{}\"", stamp.version, stamp.revision))
        .unwrap_or(HeaderValue::from_static("\"\""))
}

/// The headers that make a request conditional, without the others.
pub(in crate::http) fn conditional_headers(headers: &HeaderMap) -> HeaderMap {
    let values = |name: HeaderName| headers.get_all(&name).iter().map(move |value| (name.clone(), value.clone()));
    [IF_MATCH, IF_NONE_MATCH].into_iter().flat_map(values).collect()
}

/// The states of an item that the client has already, by `If-None-Match`.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::http) enum IfNoneMatch {
    /// The header is missing, or has no tag of ours.
    Absent,
    /// The tags of these states.
    States(Vec<Stamp>),
    /// `*`: any state.
    Any,
}

impl IfNoneMatch {
    /// Reads the header. Tags that are not ours are ignored: the response is then sent whole.
    pub(in crate::http) fn from_headers(headers: &HeaderMap) -> IfNoneMatch {
        let mut states = Vec::new();
        let values = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        for tag in values.flat_map(|list| list.split(',').map(str::trim)) {
            match parse_etag(tag) {
                _ if tag == "*" => return IfNoneMatch::Any,
                Some((version, Some(revision))) => states.push(Stamp { version, revision }),
                Some((_, None)) | None => {}
            }
        }
        if states.is_empty() { IfNoneMatch::Absent } else { IfNoneMatch::States(states) }
    }

    /// Whether the client has this state.
    pub(in crate::http) fn matches(&self, stamp: Stamp) -> bool {
        match self {
            IfNoneMatch::Absent => false,
            IfNoneMatch::States(states) => states.contains(&stamp),
            IfNoneMatch::Any => true,
        }
    }
}

/// The version that a write expects, by the body or by `If-Match`.
///
/// A header that cannot be understood is refused: ignoring it would make the write unconditional.
pub(in crate::http) fn expected_version(headers: &HeaderMap, in_body: Option<u64>) -> Result<ExpectedVersion, Error> {
    let mut values = headers.get_all(IF_MATCH).iter();
    let in_header = match (values.next(), values.next()) {
        (None, _) => None,
        (Some(value), None) => Some(parse_if_match(value)?),
        (Some(_), Some(_)) => return Err(invalid_if_match()),
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

fn parse_if_match(value: &HeaderValue) -> Result<ExpectedVersion, Error> {
    let text = value.to_str().map_err(|_| invalid_if_match())?;
    match text.trim() {
        "*" => Ok(ExpectedVersion::Existing),
        tag => {
            let (version, _) = parse_etag(tag).ok_or_else(invalid_if_match)?;
            Ok(ExpectedVersion::Exactly(version, Expectation::Precondition))
        }
    }
}

fn invalid_if_match() -> Error {
    let message = "must be one tag as in `ETag`, such as \"3.0\", or *";
    Error::ValidationFailed(vec![FieldError::new("If-Match", message)])
}

/// The version of a tag, and its revision if it has one; weak tags count like strong ones.
fn parse_etag(tag: &str) -> Option<(u64, Option<u64>)> {
    let tag = tag.strip_prefix("W/").unwrap_or(tag);
    let inner = tag.strip_prefix('"')?.strip_suffix('"')?;
    match inner.split_once('.') {
        None => Some((parse_digits(inner)?, None)),
        Some((version, revision)) => Some((parse_digits(version)?, Some(parse_digits(revision)?))),
    }
}

/// Digits only: `parse` would take a sign too.
fn parse_digits(digits: &str) -> Option<u64> {
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &HeaderName, values: &[&str]) -> HeaderMap {
        values.iter().map(|value| (name.clone(), HeaderValue::from_str(value).unwrap())).collect()
    }

    #[test]
    fn states_are_recognized_by_their_tags_in_any_form() {
        let stamp = |version, revision| Stamp { version, revision };
        assert_eq!(etag(stamp(3, 1)), "\"3.1\"");
        for (values, states) in [
            (&["\"3.1\""][..], vec![stamp(3, 1)]),
            (&["W/\"3.1\""], vec![stamp(3, 1)]),
            (&["\"1.0\", \"3.1\""], vec![stamp(1, 0), stamp(3, 1)]),
            (&["\"1.0\"", "\"3.1\""], vec![stamp(1, 0), stamp(3, 1)]),
            (&["x, \"3.1\""], vec![stamp(3, 1)]),
        ] {
            assert_eq!(
                IfNoneMatch::from_headers(&headers(&IF_NONE_MATCH, values)),
                IfNoneMatch::States(states),
                "{values:?}"
            );
        }
        for values in [&["\"3\""][..], &["3.1"], &["\"+3.1\""], &["\"\"", "\"", "W/", ",,,", "\"3.1.\""], &[]] {
            assert_eq!(IfNoneMatch::from_headers(&headers(&IF_NONE_MATCH, values)), IfNoneMatch::Absent, "{values:?}");
        }
        assert_eq!(IfNoneMatch::from_headers(&headers(&IF_NONE_MATCH, &["*"])), IfNoneMatch::Any);
    }

    #[test]
    fn a_write_compares_the_version_only() {
        let three = ExpectedVersion::Exactly(3, Expectation::Precondition);
        for (value, version) in
            [("\"3.1\"", three), ("W/\"3.9\"", three), ("\"3\"", three), ("*", ExpectedVersion::Existing)]
        {
            assert_eq!(expected_version(&headers(&IF_MATCH, &[value]), None).unwrap(), version, "{value}");
        }
        assert_eq!(expected_version(&HeaderMap::new(), None).unwrap(), ExpectedVersion::Any);
        let both = expected_version(&headers(&IF_MATCH, &["\"4.1\""]), Some(4)).unwrap();
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
            assert!(expected_version(&headers(&IF_MATCH, values), None).is_err(), "{values:?}");
        }
        assert!(expected_version(&headers(&IF_MATCH, &["\"3.1\""]), Some(4)).is_err());
    }
}

//! `ETag`, `If-None-Match` and `If-Match`.
//!
//! The tag of an item is `"<version>.<revision>"`: two answers with the same tag show the same content and fields. A
//! write compares the version alone, so that archiving an item does not refuse an edit of it.

use axum::http::header::{IF_MATCH, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue};
use interline_items::fields::FieldError;
use interline_items::{Error, Expectation, ExpectedVersion, Stamp};

/// The tag of a state.
pub(super) fn etag(stamp: Stamp) -> HeaderValue {
    // Digits and quotes are always a valid value.
    HeaderValue::from_str(&format!("\"{}.{}\"", stamp.version, stamp.revision))
        .unwrap_or(HeaderValue::from_static("\"\""))
}

/// Whether the sender has this state already. What is not a list of tags is ignored: the answer is then sent whole.
pub(super) fn is_known(headers: &HeaderMap, stamp: Stamp) -> bool {
    let known = |tag: &str| tag == "*" || stamp_of(tag) == Some((stamp.version, Some(stamp.revision)));
    headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok()).flat_map(tags).any(known)
}

/// The version that a write expects, by the body or by `If-Match`.
///
/// A header that cannot be understood is refused: ignoring it would make the write unconditional.
pub(super) fn expected(headers: &HeaderMap, in_body: Option<u64>) -> Result<ExpectedVersion, Error> {
    let mut values = headers.get_all(IF_MATCH).iter();
    let in_header = match (values.next(), values.next()) {
        (None, _) => None,
        (Some(value), None) => if_match(value)?,
        (Some(_), Some(_)) => return Err(unclear()),
    };
    match (in_header, in_body) {
        (None, None) => Ok(None),
        (Some(version), None) => Ok(Some((version, Expectation::IfMatch))),
        (None, Some(version)) => Ok(Some((version, Expectation::ExpectedVersion))),
        (Some(header), Some(body)) if header == body => Ok(Some((body, Expectation::ExpectedVersion))),
        (Some(_), Some(_)) => {
            let message = "differs from the version in `If-Match`; give one of them";
            Err(Error::ValidationFailed(vec![FieldError::new("expected_version", message)]))
        }
    }
}

/// The version that a header names; `None` for `*`, which any existing item matches.
fn if_match(value: &HeaderValue) -> Result<Option<u64>, Error> {
    let text = value.to_str().map_err(|_| unclear())?;
    match text.trim() {
        "*" => Ok(None),
        tag => stamp_of(tag).map(|(version, _)| Some(version)).ok_or_else(unclear),
    }
}

fn unclear() -> Error {
    let message = "must be one tag as in `ETag`, such as \"3.0\", or *";
    Error::ValidationFailed(vec![FieldError::new("If-Match", message)])
}

fn tags(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim)
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

    fn headers(name: &axum::http::HeaderName, values: &[&str]) -> HeaderMap {
        values.iter().map(|value| (name.clone(), HeaderValue::from_str(value).unwrap())).collect()
    }

    #[test]
    fn a_state_is_known_by_its_tag_in_any_form() {
        let stamp = Stamp { version: 3, revision: 1 };
        assert_eq!(etag(stamp), "\"3.1\"");
        for (values, known) in [
            (&["\"3.1\""][..], true),
            (&["W/\"3.1\""], true),
            (&["\"1.0\", \"3.1\""], true),
            (&["\"1.0\"", "\"3.1\""], true),
            (&["*"], true),
            (&["\"3.0\""], false),
            (&["\"3\""], false),
            (&["3.1"], false),
            (&["\"+3.1\""], false),
            (&["\"\"", "\"", "W/", ",,,", "\"3.1.\""], false),
            (&[], false),
        ] {
            assert_eq!(is_known(&headers(&IF_NONE_MATCH, values), stamp), known, "{values:?}");
        }
    }

    #[test]
    fn a_write_compares_the_version_only() {
        for (values, version) in
            [(&["\"3.1\""][..], Some(3)), (&["W/\"3.9\""], Some(3)), (&["\"3\""], Some(3)), (&["*"], None)]
        {
            let expected = expected(&headers(&IF_MATCH, values), None).unwrap();
            assert_eq!(expected, version.map(|version| (version, Expectation::IfMatch)), "{values:?}");
        }
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
        assert_eq!(
            expected(&headers(&IF_MATCH, &["\"4.1\""]), Some(4)).unwrap(),
            Some((4, Expectation::ExpectedVersion))
        );
    }
}

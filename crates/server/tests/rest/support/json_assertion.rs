//! Asserting that a JSON value has expected members.

use serde_json::Value;

/// Demands that `actual` is as `expected` says: every member of an object is there, lists have the same length, and other
/// values are the same. A string that begins and ends with `…` demands what is between them as a part.
pub(crate) fn assert_within(what: &str, expected: &Value, actual: &Value) {
    if let Some(place) = difference(expected, actual, String::new()) {
        panic!("{what}: differs at `{place}`\nexpected: {expected:#}\nactual: {actual:#}");
    }
}

/// The first place where `actual` is not as expected.
fn difference(expected: &Value, actual: &Value, place: String) -> Option<String> {
    match (expected, actual) {
        (Value::Object(wanted), Value::Object(found)) => wanted.iter().find_map(|(name, wanted)| {
            let place = format!("{place}.{name}");
            found.get(name).map_or(Some(place.clone()), |found| difference(wanted, found, place))
        }),
        (Value::Array(wanted), Value::Array(found)) if wanted.len() == found.len() => wanted
            .iter()
            .zip(found)
            .enumerate()
            .find_map(|(index, (wanted, found))| difference(wanted, found, format!("{place}[{index}]"))),
        (Value::String(wanted), Value::String(found)) => {
            let part = wanted.strip_prefix('…').and_then(|rest| rest.strip_suffix('…'));
            let same = part.map_or(wanted == found, |part| found.contains(part));
            (!same).then_some(place)
        }
        (wanted, found) => (wanted != found).then_some(place),
    }
}

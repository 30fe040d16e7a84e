//! Taking the changes of fields back: each field as a whole, tags one by one.

use std::collections::BTreeSet;

use crate::Fields;
use crate::fields::Tags;

/// The fields of an item after a set was taken back from them.
///
/// `steps` are the versions since the set that changed fields, oldest first: whether each is of the set, and the fields before
/// and after it. The error has the names of the fields that others changed since, to something else than they were.
pub(super) fn undo_fields(steps: &[(bool, Fields, Fields)], now: &Fields) -> Result<Fields, Vec<&'static str>> {
    let mut conflicts = Vec::new();
    let mut undone = now.clone();
    macro_rules! undo {
        ($($field:ident),*) => {$(
            match undo_value(steps.iter().map(|(is_of_set, before, after)| (*is_of_set, &before.$field, &after.$field)), &now.$field) {
                Some(value) => undone.$field = value,
                None => conflicts.push(stringify!($field)),
            }
        )*};
    }
    undo!(title, description, url, name, arguments, path, front_matter);
    undone.tags = undo_tags(steps, &now.tags);
    if conflicts.is_empty() { Ok(undone) } else { Err(conflicts) }
}

/// The value of a field before a set changed it; its present value if the set did not. `None` if others changed it since.
fn undo_value<'f, T: Clone + PartialEq + 'f>(steps: impl Iterator<Item = (bool, &'f T, &'f T)>, now: &T) -> Option<T> {
    let mut found: Option<&T> = None;
    let mut left: Option<&T> = None;
    let mut is_foreign_between = false;
    for (is_of_set, before, after) in steps.filter(|(_, before, after)| before != after) {
        if is_of_set {
            // What others changed between two changes of the set would be lost with the first of them.
            is_foreign_between |= left.is_some_and(|left| left != before);
            found = found.or(Some(before));
            left = Some(after);
        }
    }
    match (found, left) {
        (Some(found), Some(_)) if found == now => Some(now.clone()),
        (Some(found), Some(left)) if left == now && !is_foreign_between => Some(found.clone()),
        (Some(_), Some(_)) => None,
        _ => Some(now.clone()),
    }
}

/// Tags without those that a set added, and with those that it removed.
fn undo_tags(steps: &[(bool, Fields, Fields)], now: &Tags) -> Tags {
    let (mut added, mut removed) = (BTreeSet::new(), Vec::new());
    for (_, before, after) in steps.iter().filter(|(is_of_set, _, _)| *is_of_set) {
        let (before, after) = (before.tags.as_slice(), after.tags.as_slice());
        for tag in after.iter().filter(|tag| !before.contains(tag)) {
            removed.retain(|gone| *gone != tag.as_str());
            added.insert(tag.as_str());
        }
        for tag in before.iter().filter(|tag| !after.contains(tag)) {
            if !added.remove(tag.as_str()) {
                removed.push(tag.as_str());
            }
        }
    }
    let mut tags: Vec<String> = now.as_slice().iter().map(|tag| tag.as_str().to_owned()).collect();
    tags.retain(|tag| !added.contains(tag.as_str()));
    for tag in removed {
        if !tags.iter().any(|present| present == tag) {
            tags.push(tag.to_owned());
        }
    }
    Tags::from_stored(tags)
}

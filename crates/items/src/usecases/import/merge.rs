//! The three-way merge of a record that changed since it was imported with an item that may have changed too.

use std::collections::HashSet;
use std::sync::Arc;

use crate::Fields;
use crate::fields::{Tag, Tags};

use super::record::State;

/// Merges what the source (`ours`) and the stored item (`theirs`) changed since `base`; the names of the fields that both
/// changed where that cannot be done.
pub(super) fn merge_states(base: &State, ours: &State, theirs: &State) -> Result<State, Vec<&'static str>> {
    let mut conflicts = Vec::new();
    let (b, o, t) = (&base.fields, &ours.fields, &theirs.fields);
    let fields = Fields {
        title: field("title", [&b.title, &o.title, &t.title], &mut conflicts),
        description: field("description", [&b.description, &o.description, &t.description], &mut conflicts),
        tags: merge_tags(&b.tags, &o.tags, &t.tags),
        url: field("url", [&b.url, &o.url, &t.url], &mut conflicts),
        name: field("name", [&b.name, &o.name, &t.name], &mut conflicts),
        arguments: field("arguments", [&b.arguments, &o.arguments, &t.arguments], &mut conflicts),
        path: t.path.clone(),
        front_matter: field("front_matter", [&b.front_matter, &o.front_matter, &t.front_matter], &mut conflicts),
    };
    let content = match merge_content(&base.content, &ours.content, &theirs.content) {
        Some(content) => content,
        None => {
            conflicts.push("content");
            None
        }
    };
    if conflicts.is_empty() { Ok(State { fields, content }) } else { Err(conflicts) }
}

/// A field that one side may have changed; both only to the same.
fn field<T: Clone + PartialEq>(
    name: &'static str,
    [base, ours, theirs]: [&T; 3],
    conflicts: &mut Vec<&'static str>,
) -> T {
    if theirs == base {
        return ours.clone();
    }
    if ours != base && ours != theirs {
        conflicts.push(name);
    }
    theirs.clone()
}

/// The stored tags, with those that the source added and without those that it removed.
fn merge_tags(base: &Tags, ours: &Tags, theirs: &Tags) -> Tags {
    let set = |tags: &Tags| tags.as_slice().iter().map(|tag| tag.as_str().to_owned()).collect::<HashSet<String>>();
    let (base_set, our_set) = (set(base), set(ours));
    if theirs == base {
        return ours.clone();
    }
    let kept =
        theirs.as_slice().iter().map(Tag::as_str).filter(|tag| !base_set.contains(*tag) || our_set.contains(*tag));
    let their_set = set(theirs);
    let added = ours.as_slice().iter().map(Tag::as_str);
    let added = added.filter(|tag| !base_set.contains(*tag) && !their_set.contains(*tag));
    Tags::from_stored(kept.chain(added).map(str::to_owned).collect())
}

/// The merged content; `None` where both sides changed the same lines.
fn merge_content(
    base: &Option<Arc<str>>,
    ours: &Option<Arc<str>>,
    theirs: &Option<Arc<str>>,
) -> Option<Option<Arc<str>>> {
    if theirs == base {
        return Some(ours.clone());
    }
    if ours == base || ours == theirs {
        return Some(theirs.clone());
    }
    let (base, ours, theirs) = (base.as_ref()?, ours.as_ref()?, theirs.as_ref()?);
    let edit = interline_edit::merge(base, ours, theirs).ok()?;
    Some(Some(edit.apply(theirs).ok()?.into()))
}

/// What a bookmark that was there gets from a record: what it lacks. What its owner wrote stays.
pub(super) fn fill_empty(ours: &State, theirs: &State) -> State {
    let mut filled = theirs.clone();
    let (fields, source) = (&mut filled.fields, &ours.fields);
    fields.title = fields.title.take().or_else(|| source.title.clone());
    fields.description = fields.description.take().or_else(|| source.description.clone());
    fields.front_matter = fields.front_matter.take().or_else(|| source.front_matter.clone());
    fields.tags = merge_tags(&Tags::default(), &source.tags, &fields.tags);
    filled.content = filled.content.take().or_else(|| ours.content.clone());
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::Title;

    fn state(title: &str, tags: &[&str], content: Option<&str>) -> State {
        let fields = Fields {
            title: Some(Title::from_stored(title.to_owned())),
            tags: Tags::from_stored(tags.iter().map(|tag| (*tag).to_owned()).collect()),
            ..Fields::default()
        };
        State { fields, content: content.map(Arc::from) }
    }

    #[test]
    fn each_field_is_merged_by_itself() {
        let base = state("a", &["x", "y"], Some("1\n2\n3\n"));
        let ours = state("a", &["y", "z"], Some("one\n2\n3\n"));
        let theirs = state("b", &["x", "y", "w"], Some("1\n2\nthree\n"));
        let merged = state("b", &["y", "w", "z"], Some("one\n2\nthree\n"));
        assert_eq!(merge_states(&base, &ours, &theirs), Ok(merged));
        assert_eq!(merge_states(&base, &base, &theirs), Ok(theirs.clone()));
        assert_eq!(merge_states(&base, &ours, &base), Ok(ours));
    }

    #[test]
    fn what_both_changed_is_named() {
        let base = state("a", &[], Some("1\n"));
        let conflicts = merge_states(&base, &state("b", &[], Some("2\n")), &state("c", &[], Some("3\n")));
        assert_eq!(conflicts, Err(vec!["title", "content"]));
        let removed = merge_states(&base, &state("a", &[], None), &state("a", &[], Some("3\n")));
        assert_eq!(removed, Err(vec!["content"]));
    }

    #[test]
    fn what_the_owner_wrote_stays() {
        let owner = state("mine", &["x"], None);
        let filled = fill_empty(&state("theirs", &["y"], Some("text")), &owner);
        assert_eq!(filled, state("mine", &["x", "y"], Some("text")));
    }
}

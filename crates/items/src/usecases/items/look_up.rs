//! Finding items by what people call them: an id, its beginning, the name of a prompt, the path of a file of code.

use std::ops::RangeInclusive;

use uuid::Uuid;

use crate::fields::{CodePath, PromptName};
use crate::usecases::{Caller, Interline};
use crate::{CodeKind, Error, Item, ItemId, Kind, Scope, UniqueField};

/// How many hexadecimal digits the beginning of an id has at the least.
pub const SHORTEST_ID_PREFIX: usize = 4;
/// How many items are listed at the most.
const MAX_FOUND: usize = 10;
/// The hexadecimal digits of an id.
const ID_DIGITS: usize = 32;

/// The items that a text may mean.
#[derive(Clone, Debug)]
pub struct FoundByName {
    /// The first of them, by id.
    pub items: Vec<Item>,
    /// Whether there are more.
    pub has_more: bool,
}

impl Interline {
    /// The items that exist for the caller and that `text` may mean: the one with that id; else the prompt of that name and
    /// the files of code at that path; else all whose id begins with it; else the prompt of that name that was deleted
    /// last. Nothing is found for a beginning that is shorter than [`SHORTEST_ID_PREFIX`].
    pub async fn look_up(&self, caller: &Caller, text: &str) -> Result<FoundByName, Error> {
        caller.require(Scope::Read)?;
        let mut ids = match Uuid::try_parse(text) {
            Ok(id) => vec![ItemId::from_uuid(id)],
            Err(_) => self.ids_by_name(caller, text).await?,
        };
        if let (true, Some(range)) = (ids.is_empty(), id_range(text)) {
            let _permit = self.read_permit(caller).await?;
            ids = self.store.find_by_id_range(range, caller.visible(), MAX_FOUND + 1).await?;
        }
        if let (true, Ok(name)) = (ids.is_empty(), PromptName::parse(text, self.limits())) {
            let spaces = caller.spaces_of(&[Kind::Prompt].into());
            ids.extend(self.find_deleted(caller, &spaces, Kind::Prompt, &UniqueField::Name(name)).await?);
        }
        let has_more = ids.len() > MAX_FOUND;
        let mut items = Vec::new();
        for id in ids.into_iter().take(MAX_FOUND) {
            items.extend(self.shown_item(caller, id).await?);
        }
        Ok(FoundByName { items, has_more })
    }

    /// The prompt of a name, and the files of code at a path in each space.
    async fn ids_by_name(&self, caller: &Caller, text: &str) -> Result<Vec<ItemId>, Error> {
        let mut ids = Vec::new();
        if let Ok(name) = PromptName::parse(text, self.limits()) {
            let spaces = caller.spaces_of(&[Kind::Prompt].into());
            ids.extend(self.find_unique(caller, &spaces, Kind::Prompt, &UniqueField::Name(name)).await?);
        }
        for kind in CodeKind::ALL {
            let Ok(path) = CodePath::parse_stored(kind, text, self.limits()) else { continue };
            let path = UniqueField::Path(path);
            for space in caller.spaces_of(&[kind.kind()].into()) {
                ids.extend(self.find_unique(caller, &[space], kind.kind(), &path).await?);
            }
        }
        ids.sort_unstable();
        Ok(ids)
    }
}

/// The ids that begin with these hexadecimal digits, with or without the dashes of an id.
fn id_range(text: &str) -> Option<RangeInclusive<ItemId>> {
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    let is_prefix = (SHORTEST_ID_PREFIX..=ID_DIGITS).contains(&digits.len())
        && !text.starts_with('-')
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let id = |rest: &str| {
        let id = u128::from_str_radix(&format!("{digits}{}", rest.repeat(ID_DIGITS - digits.len())), 16);
        id.ok().map(|id| ItemId::from_uuid(Uuid::from_u128(id)))
    };
    if is_prefix { Some(id("0")?..=id("f")?) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_of_an_id_has_at_least_four_digits_and_may_have_dashes() {
        let range = |text| id_range(text).map(|range| (range.start().to_string(), range.end().to_string()));
        let all = |first: &str, last: &str| Some((first.to_owned(), last.to_owned()));
        assert_eq!(range("0190"), all("01900000-0000-0000-0000-000000000000", "0190ffff-ffff-ffff-ffff-ffffffffffff"));
        assert_eq!(
            range("0190ABCD-1"),
            all("0190abcd-1000-0000-0000-000000000000", "0190abcd-1fff-ffff-ffff-ffffffffffff")
        );
        let whole = "0190abcd-1234-7000-8000-000000000001";
        assert_eq!(range(whole), all(whole, whole));
        for wrong in ["", "019", "-0190", "019g", "0190 ", "é190", &format!("{whole}0"), &"0".repeat(1_000)] {
            assert_eq!(range(wrong), None, "{wrong}");
        }
    }
}

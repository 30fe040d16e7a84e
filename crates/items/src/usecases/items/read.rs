//! Reading an item, whole or some lines of it; how a request names an item.

use std::sync::Arc;

use crate::fields::PromptName;
use crate::memory_budget::take_for_work;
use crate::{
    Error, HashCheck, Item, ItemId, ItemState, Kind, NeedsText, PointRead, Proposal, ProposedContent, Scope, Snapshot,
    SpaceId, UniqueField,
};

use crate::usecases::proposals::shown;
use crate::usecases::{Caller, Interline};

/// How a request names an item.
#[derive(Clone, Debug)]
pub enum ItemRef {
    /// By its id; with a kind, only if it is of that kind.
    Id(ItemId, Option<Kind>),
    /// The prompt of that name.
    PromptName(PromptName),
}

impl ItemRef {
    /// Whether it names this item, and the item exists for the caller.
    pub(in crate::usecases) fn exists_for(&self, caller: &Caller, item: &Item) -> bool {
        self.names(caller, item.kind, item.space)
    }

    /// The same, for an item of this kind in this space.
    fn names(&self, caller: &Caller, actual: Kind, space: SpaceId) -> bool {
        let kind = match self {
            ItemRef::Id(_, kind) => *kind,
            ItemRef::PromptName(_) => Some(Kind::Prompt),
        };
        caller.sees(actual, space) && kind.is_none_or(|kind| kind == actual)
    }

    /// The error that there is no such item.
    pub(in crate::usecases) fn not_found(&self) -> Error {
        self.not_found_but(None)
    }

    /// The error that there is no such item for a caller; it names the kind of the item that has the id instead, if the
    /// caller sees that.
    fn not_found_for(&self, caller: &Caller, actual: Option<(Kind, SpaceId)>) -> Error {
        self.not_found_but(actual.filter(|(kind, space)| caller.sees(*kind, *space)).map(|(kind, _)| kind))
    }

    fn not_found_but(&self, actual: Option<Kind>) -> Error {
        match self {
            ItemRef::Id(id, kind) => Error::NotFound { kind: *kind, requested: id.to_string(), actual },
            ItemRef::PromptName(name) => {
                Error::NotFound { kind: Some(Kind::Prompt), requested: name.as_str().to_owned(), actual }
            }
        }
    }
}

/// How much of the content is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadContent {
    /// Nothing.
    Omit,
    /// All of it.
    Whole,
    /// Some lines.
    Lines(LineRange),
}

/// A range of lines, 1-based and inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRange {
    /// The first line; 1 unless given.
    pub start: Option<u64>,
    /// The last line; the last of the text unless given, and where the text has fewer lines.
    pub end: Option<u64>,
}

impl LineRange {
    /// The first and the last line of the range in a text of so many lines.
    fn within(self, total_lines: u64) -> Result<(u64, u64), Error> {
        let (start, end) = (self.start.unwrap_or(1), self.end.unwrap_or(total_lines));
        if start < 1 || start > end || start > total_lines {
            return Err(Error::InvalidLines { total_lines });
        }
        Ok((start, end.min(total_lines)))
    }
}

/// An item with the requested part of its content.
#[derive(Clone, Debug)]
pub struct ReadItem {
    /// The item.
    pub item: Item,
    /// The text and where it stands in the content; `None` where there is no content or none was asked for.
    pub part: Option<ContentPart>,
}

impl ReadItem {
    /// The item of a snapshot with the requested part of its content.
    pub(in crate::usecases) fn from_snapshot(snapshot: Snapshot, requested: ReadContent) -> Result<ReadItem, Error> {
        let Snapshot { item, content } = snapshot;
        let part = match requested {
            ReadContent::Omit => None,
            ReadContent::Whole => {
                let end_line = item.content.as_ref().map_or(1, |info| info.lines);
                content.map(|text| ContentPart { text, start_line: 1, end_line })
            }
            ReadContent::Lines(range) => {
                let text = content.ok_or(Error::ContentEmpty(NeedsText::Lines))?;
                Some(lines(&text, range)?)
            }
        };
        Ok(ReadItem { item, part })
    }
}

/// A part of a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentPart {
    /// The text.
    pub text: Arc<str>,
    /// 1-based first line.
    pub start_line: u64,
    /// 1-based last line.
    pub end_line: u64,
}

impl Interline {
    /// An item that exists for the caller, in whatever state, with the requested part of its content.
    pub async fn read(&self, caller: &Caller, item_ref: &ItemRef, content: ReadContent) -> Result<ReadItem, Error> {
        caller.require(Scope::Read)?;
        match content {
            ReadContent::Omit => Ok(ReadItem { item: self.visible_item(caller, item_ref).await?, part: None }),
            ReadContent::Whole | ReadContent::Lines(_) => {
                ReadItem::from_snapshot(self.visible_snapshot(caller, item_ref, HashCheck::Remembered).await?, content)
            }
        }
    }

    /// The state of an item that exists for the caller, to tell whether a copy of it is still current.
    pub async fn state(&self, caller: &Caller, item_ref: &ItemRef) -> Result<ItemState, Error> {
        caller.require(Scope::Read)?;
        let id = self.resolve_id(caller, item_ref).await?;
        match self.shown_state(caller, id).await? {
            Some(state) if item_ref.names(caller, state.kind, state.space) => Ok(state),
            other => Err(item_ref.not_found_for(caller, other.map(|state| (state.kind, state.space)))),
        }
    }

    /// The item, if it exists for the caller.
    pub(in crate::usecases) async fn visible_item(&self, caller: &Caller, item_ref: &ItemRef) -> Result<Item, Error> {
        let id = self.resolve_id(caller, item_ref).await?;
        match self.shown_item(caller, id).await? {
            Some(item) if item_ref.exists_for(caller, &item) => Ok(item),
            other => Err(item_ref.not_found_for(caller, other.map(|item| (item.kind, item.space)))),
        }
    }

    /// The item with its content, if it exists for the caller, as the caller sees it.
    pub(in crate::usecases) async fn visible_snapshot(
        &self,
        caller: &Caller,
        item_ref: &ItemRef,
        check: HashCheck,
    ) -> Result<Snapshot, Error> {
        let id = self.resolve_id(caller, item_ref).await?;
        let own = self.own_proposals(caller, id).await?;
        if let Some(Proposal { content: ProposedContent::Set(content), .. }) = &own.pending {
            let item = shown(self.store.visible_item(id, caller.visible()).await?, &own);
            let item = item.filter(|item| item_ref.exists_for(caller, item)).ok_or_else(|| item_ref.not_found())?;
            return Ok(Snapshot { item, content: content.clone() });
        }
        let Snapshot { item, content } = self.stored_snapshot(caller, item_ref, id, check).await?;
        let base = self.base_content(caller, Some(&item), &own).await?;
        let mut item = shown(Some(item), &own).ok_or_else(|| item_ref.not_found())?;
        let Some(base) = base else { return Ok(Snapshot { item, content }) };
        self.check_content(caller, item.kind, &item.fields, base.clone()).await?.apply_to(&mut item);
        Ok(Snapshot { item, content: base })
    }

    /// The item with its content, if it exists for the caller, as it is stored.
    async fn stored_snapshot(
        &self,
        caller: &Caller,
        item_ref: &ItemRef,
        id: ItemId,
        check: HashCheck,
    ) -> Result<Snapshot, Error> {
        let not_found =
            |other: Option<&Item>| item_ref.not_found_for(caller, other.map(|item| (item.kind, item.space)));
        let read = match self.store.visible_point_read(id, caller.visible(), check).await {
            Ok(None) => return Err(not_found(None)),
            Ok(Some(found)) if !item_ref.exists_for(caller, found.item()) => return Err(not_found(Some(found.item()))),
            Ok(Some(PointRead::Whole(snapshot))) => Ok(Some(snapshot)),
            Ok(Some(PointRead::WithoutContent(item))) => {
                let _permit = self.read_permit(caller).await?;
                take_for_work(item.content.map_or(0, |info| usize::try_from(info.bytes).unwrap_or(usize::MAX)))?;
                self.store.visible_snapshot(id, caller.visible(), check).await
            }
            Err(error) => Err(error),
        };
        match read {
            Ok(snapshot) => {
                let snapshot = snapshot.ok_or_else(|| not_found(None))?;
                // A long content may have grown since its size was read.
                take_for_work(snapshot.content.as_ref().map_or(0, |content| content.len()))?;
                Ok(snapshot)
            }
            Err(error) => Err(self.explain_damage(caller, id, error).await),
        }
    }

    async fn resolve_id(&self, caller: &Caller, item_ref: &ItemRef) -> Result<ItemId, Error> {
        match item_ref {
            ItemRef::Id(id, _) => Ok(*id),
            ItemRef::PromptName(name) => self.prompt_id(caller, name).await?.ok_or_else(|| item_ref.not_found()),
        }
    }

    /// The prompt of a name, or where there is none the one of that name that was deleted last.
    pub async fn prompt_or_deleted(&self, caller: &Caller, name: PromptName) -> Result<ItemRef, Error> {
        caller.require(Scope::Read)?;
        let kinds = [Kind::Prompt].into();
        if !caller.kinds().is_superset(&kinds) || self.prompt_id(caller, &name).await?.is_some() {
            return Ok(ItemRef::PromptName(name));
        }
        let field = UniqueField::Name(name.clone());
        let deleted = self.find_deleted(caller, &caller.spaces_of(&kinds), Kind::Prompt, &field).await?;
        Ok(deleted.map_or(ItemRef::PromptName(name), |id| ItemRef::Id(id, Some(Kind::Prompt))))
    }

    /// The item in the trash of these spaces that has the field's value and was deleted last.
    pub(in crate::usecases) async fn find_deleted(
        &self,
        caller: &Caller,
        spaces: &[SpaceId],
        kind: Kind,
        field: &UniqueField,
    ) -> Result<Option<ItemId>, Error> {
        let _permit = self.read_permit(caller).await?;
        Ok(self.store.find_deleted(spaces, kind, field).await?)
    }

    async fn prompt_id(&self, caller: &Caller, name: &PromptName) -> Result<Option<ItemId>, Error> {
        let spaces = caller.spaces_of(&[Kind::Prompt].into());
        self.find_unique(caller, &spaces, Kind::Prompt, &UniqueField::Name(name.clone())).await
    }
}

/// Lines of a text; the last may lie past its end.
fn lines(text: &str, range: LineRange) -> Result<ContentPart, Error> {
    let total_lines = interline_edit::total_lines(text) as u64;
    let (start, end) = range.within(total_lines)?;
    let invalid = || Error::InvalidLines { total_lines };
    let as_index = |line: u64| usize::try_from(line).map_err(|_| invalid());
    let part = interline_edit::read_lines(text, as_index(start)?, as_index(end)?).map_err(|_| invalid())?;
    Ok(ContentPart { text: part.into(), start_line: start, end_line: end })
}

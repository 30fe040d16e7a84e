//! Export: the notes, bookmarks and prompts of the caller's own space, one after the other, with their histories.

use std::collections::VecDeque;

use interline_interchange::{
    Since, SourceArgument, SourceChange, SourceFields, SourceKind, SourceRecord, SourceVersion,
};

use crate::fields::{Argument, Arguments, Description, FrontMatter, PromptName, Tag, Title, Url};
use crate::{
    Error, Fields, HashCheck, HistoryQuery, HistoryRecord, Item, ItemId, Kind, Scope, Snapshot, SpaceId, Stamp,
};

use super::{Caller, Interline, ItemRef};

/// How many items are looked up at a time.
const PAGE: usize = 200;
/// How many records of a history are read at a time.
const RECORDS: usize = 100;

/// An export under way. It holds one item at a time.
pub struct Export {
    interline: Interline,
    caller: Caller,
    space: SpaceId,
    after: Option<ItemId>,
    page: VecDeque<ItemId>,
    is_last_page: bool,
}

/// An item that is exported.
pub struct ExportedItem {
    item: Item,
    /// The item, without its history.
    pub record: SourceRecord,
}

impl ExportedItem {
    /// The item's id.
    pub fn id(&self) -> ItemId {
        self.item.id
    }
}

impl Interline {
    /// Begins an export of the caller's own space, in the order of ids: the items after `after`, in whatever view. Files of
    /// code are not part of it.
    pub fn export(&self, caller: &Caller, after: Option<ItemId>) -> Result<Export, Error> {
        caller.require(Scope::Read)?;
        let space = caller.own_space()?;
        let page = VecDeque::new();
        Ok(Export { interline: self.clone(), caller: caller.seeing_stored(), space, after, page, is_last_page: false })
    }
}

impl Export {
    /// The next item; `None` after the last one. One that is purged meanwhile is left out.
    pub async fn next(&mut self) -> Result<Option<ExportedItem>, Error> {
        loop {
            while let Some(id) = self.page.pop_front() {
                self.after = Some(id);
                let item_ref = ItemRef::Id(id, None);
                match self.interline.visible_snapshot(&self.caller, &item_ref, HashCheck::Always).await {
                    Ok(Snapshot { item, content }) => {
                        let Some(kind) = source_kind(item.kind) else { continue };
                        let content = content.map(|text| text.to_string());
                        let record = source_record(&item, kind, content);
                        return Ok(Some(ExportedItem { item, record }));
                    }
                    Err(Error::NotFound { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            if self.is_last_page {
                return Ok(None);
            }
            let page = self.interline.store.items_of_space(self.space, self.after, PAGE).await?;
            self.is_last_page = page.len() < PAGE;
            self.page = page.into();
        }
    }

    /// The records of an item's history up to the state that it was read in, oldest first: from the oldest version that is kept.
    pub async fn history(&self, exported: &ExportedItem) -> Result<Vec<HistoryRecord>, Error> {
        let newest = exported.item.stamp;
        let mut records: Vec<HistoryRecord> = Vec::new();
        let mut offset = 0;
        loop {
            let _permit = self.interline.read_permit(&self.caller).await?;
            let query = HistoryQuery { offset, limit: RECORDS };
            let page = self.interline.store.versions(exported.item.id, query).await?;
            let count = page.records.len();
            offset += count as u64;
            // Changes that come meanwhile move the older ones to the next page.
            for record in page.records {
                let is_older = records.last().is_none_or(|last| order(record.stamp) < order(last.stamp));
                if order(record.stamp) <= order(newest) && is_older {
                    records.push(record);
                }
            }
            if count < RECORDS {
                break;
            }
        }
        records.reverse();
        let first = records.iter().position(|record| record.version.is_some()).unwrap_or(records.len());
        records.drain(..first);
        Ok(records)
    }

    /// A record of an item's history with the state that it led to; `None` if it was forgotten meanwhile.
    pub async fn change(&self, exported: &ExportedItem, record: HistoryRecord) -> Result<Option<SourceChange>, Error> {
        let state = match record.version {
            None => None,
            Some(number) => match self.interline.version(&self.caller, &exported.item, number).await {
                Ok(version) => {
                    let content = version.content.map(|text| text.to_string());
                    Some(SourceVersion { fields: source_fields(&version.fields), content })
                }
                Err(Error::VersionNotFound { .. }) => return Ok(None),
                Err(error) => return Err(error),
            },
        };
        let (user, token) = match record.imported_from {
            Some(from) => (from.user, from.token),
            None => (record.user.name, record.token.and_then(|token| token.name)),
        };
        Ok(Some(SourceChange {
            version: record.version,
            action: record.action.name().to_owned(),
            changed_fields: record.changed_fields,
            at: Some(record.at),
            source: Some(record.source.name().to_owned()),
            user,
            token,
            state,
        }))
    }
}

fn order(stamp: Stamp) -> (u64, u64) {
    (stamp.version, stamp.revision)
}

fn source_kind(kind: Kind) -> Option<SourceKind> {
    match kind {
        Kind::Note => Some(SourceKind::Note),
        Kind::Bookmark => Some(SourceKind::Bookmark),
        Kind::Prompt => Some(SourceKind::Prompt),
        Kind::AppFile | Kind::Workflow | Kind::Module => None,
    }
}

fn source_record(item: &Item, kind: SourceKind, content: Option<String>) -> SourceRecord {
    SourceRecord {
        id: Some(item.id.uuid()),
        fields: source_fields(&item.fields),
        content,
        created_at: Some(item.created_at),
        updated_at: Some(item.updated_at),
        last_used_at: item.last_used_at,
        archived: item.archived_at.map(Since::At),
        deleted: item.deleted_at.map(Since::At),
        version: Some(item.stamp.version),
        ..SourceRecord::new(item.id.to_string(), kind)
    }
}

fn source_fields(fields: &Fields) -> SourceFields {
    let argument = |argument: &Argument| SourceArgument {
        name: argument.name.clone(),
        description: argument.description.clone(),
        required: argument.required,
    };
    SourceFields {
        title: fields.title.as_ref().map(Title::as_str).map(str::to_owned),
        description: fields.description.as_ref().map(Description::as_str).map(str::to_owned),
        tags: fields.tags.as_slice().iter().map(Tag::as_str).map(str::to_owned).collect(),
        url: fields.url.as_ref().map(Url::as_str).map(str::to_owned),
        name: fields.name.as_ref().map(PromptName::as_str).map(str::to_owned),
        arguments: fields.arguments.as_ref().map(Arguments::as_slice).map(|list| list.iter().map(argument).collect()),
        front_matter: fields.front_matter.as_ref().map(FrontMatter::as_str).map(str::to_owned),
    }
}

//! The table `proposals`: changes of items that wait for a person's decision.

use std::sync::Arc;

use interline_items::{
    Action, Client, ContentInfo, Item, ItemId, Kind, MAX_PENDING_PROPOSALS, NamedId, OwnProposals, Proposal,
    ProposalDecision, ProposalId, ProposalQuery, ProposalRef, ProposalState, ProposalSummary, ProposalWrite,
    ProposedContent, ProposedStates, Proposer, Reason, RejectedProposal, SpaceId, Stamp, StoreError, UniqueField,
};
use jiff::Timestamp;
use uuid::Uuid;

use super::change_sets::spaces_parameter;
use crate::codec::{functions, json, names, proposals as codec};
use crate::sql::{RowReader, Sql, Statement, column, query_first, query_only, statement, values};

/// The columns that [`summary_from_row`] reads.
macro_rules! summary_columns {
    () => {
        "proposals.id, proposals.revision, proposals.state, proposals.item, proposals.kind, proposals.space,
         proposals.title, proposals.base_version, proposals.base_revision, proposals.\"user\", users.name,
         proposals.token, tokens.name, proposals.author, proposals.source, proposals.client_name,
         proposals.client_version, proposals.reason, proposals.created_at, proposals.updated_at,
         proposals.decided_at, proposals.decided_by, deciders.name, proposals.decision_reason"
    };
}

macro_rules! from_proposals {
    () => {
        " FROM proposals LEFT JOIN users ON users.id = proposals.\"user\"
          LEFT JOIN tokens ON tokens.id = proposals.token
          LEFT JOIN users AS deciders ON deciders.id = proposals.decided_by "
    };
}

/// A statement that [`proposal_from_row`] reads the rows of.
macro_rules! proposals {
    ($tail:literal) => {
        statement!(
            "SELECT ",
            summary_columns!(),
            ", proposals.fields, proposals.functions, proposals.item_created_at, proposals.archived_at,
               proposals.deleted_at, proposals.archive_action, proposals.trash_action, proposals.content_state,
               proposals.content, proposals.requests",
            from_proposals!(),
            $tail
        )
    };
}

const BY_ID: Statement = proposals!("WHERE proposals.id = ?1");

const PENDING: Statement =
    proposals!("WHERE proposals.proposer = ?1 AND proposals.item = ?2 AND proposals.state = 'pending'");

const UNTOLD: Statement = statement!(
    "SELECT id, decision_reason, decided_at FROM proposals
     WHERE proposer = ?1 AND item = ?2 AND state = 'rejected' AND told = 0 ORDER BY decided_at DESC LIMIT 1"
);

const PROPOSED_ITEMS: Statement = statement!(
    "SELECT space, item FROM proposals
     WHERE proposer = ?1 AND state = 'pending' AND kind = ?2 AND unique_value = ?3 ORDER BY id"
);

macro_rules! list {
    ($in_spaces:literal) => {
        concat!(
            "SELECT ",
            summary_columns!(),
            from_proposals!(),
            "WHERE (proposals.space ",
            $in_spaces,
            " AND ?2 LIKE '%,' || proposals.kind || ',%' OR proposals.proposer = ?3)
                AND (proposals.state = ?4 OR ?4 IS NULL) AND (proposals.item = ?5 OR ?5 IS NULL)
                AND (proposals.\"user\" = ?6 OR ?6 IS NULL) AND (proposals.token = ?7 OR ?7 IS NULL)
                AND proposals.id < ?8
              ORDER BY proposals.id DESC LIMIT ?9"
        )
    };
}

const LIST: Statement = statement!(
    sqlite: list!("IN (SELECT unhex(value) FROM json_each(?1))"),
    postgres: list!("= ANY (string_to_array(?1, ',')::uuid[])"),
);

const OLD: Statement = statement!(
    "SELECT ",
    summary_columns!(),
    from_proposals!(),
    "WHERE proposals.state = 'pending' AND proposals.updated_at < ?1 ORDER BY proposals.updated_at LIMIT ?2"
);

/// Of several servers, one counts and adds at a time.
const LOCK_USER: Statement = statement!(
    sqlite: "SELECT id FROM users WHERE id = ?1",
    postgres: "SELECT id FROM users WHERE id = ?1 FOR NO KEY UPDATE",
);

const COUNT: Statement = statement!("SELECT count(*) FROM proposals WHERE \"user\" = ?1 AND state = 'pending'");

const INSERT: Statement = statement!(
    "INSERT INTO proposals (
         id, revision, state, proposer, \"user\", token, author, source, client_name, client_version, reason, item, kind,
         space, title, unique_value, base_version, base_revision, fields, functions, item_created_at, archived_at,
         deleted_at, archive_action, trash_action, content_state, content, requests, created_at, updated_at
     ) VALUES (
         ?1, ?2, 'pending', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22,
         ?23, ?24, ?25, ?26, ?27, ?28, ?29
     ) ON CONFLICT DO NOTHING"
);

const REPLACE: Statement = statement!(
    "UPDATE proposals SET
         revision = ?2, author = ?3, source = ?4, client_name = ?5, client_version = ?6, reason = ?7, title = ?8,
         unique_value = ?9, base_version = ?10, base_revision = ?11, fields = ?12, functions = ?13, archived_at = ?14,
         deleted_at = ?15, archive_action = ?16, trash_action = ?17, content_state = ?18, content = ?19, requests = ?20,
         updated_at = ?21, item_created_at = ?22
     WHERE id = ?1 AND revision + 1 = ?2 AND state = 'pending'"
);

/// What was withdrawn needs no text any more: making and withdrawing fills no disk.
const DECIDE: Statement = statement!(
    "UPDATE proposals SET state = ?3, decided_at = ?4, decided_by = ?5, decision_reason = ?6,
         content_state = CASE WHEN ?3 = 'withdrawn' THEN 'keep' ELSE content_state END,
         content = CASE WHEN ?3 = 'withdrawn' THEN NULL ELSE content END
     WHERE id = ?1 AND revision = ?2 AND state = 'pending'"
);

const TOLD: Statement = statement!("UPDATE proposals SET told = 1 WHERE id = ?1");

/// In steps, so that no transaction is long.
const FORGET: Statement = statement!(
    "DELETE FROM proposals WHERE id IN (
         SELECT id FROM proposals WHERE decided_at < ?1 ORDER BY decided_at LIMIT 100
     )"
);

const OF_ITEM: Statement = statement!("DELETE FROM proposals WHERE item = ?1");

/// Removes the proposals for an item that is purged.
pub(crate) async fn purge_item<S: Sql>(sql: &S, item: ItemId) -> Result<(), S::Failure> {
    sql.execute(OF_ITEM, values![item]).await?;
    Ok(())
}

/// Writes changes of proposals, as a part of a batch.
pub(crate) async fn write<S: Sql>(sql: &S, writes: &[ProposalWrite]) -> Result<(), S::Failure> {
    for write in writes {
        let (changed, item) = match write {
            ProposalWrite::Make(proposal) => (make(sql, proposal).await?, proposal.summary.item),
            ProposalWrite::Replace(proposal) => (replace(sql, proposal).await?, proposal.summary.item),
            ProposalWrite::Decide { proposal: ProposalRef { id, revision }, item, state, decision } => {
                let ProposalDecision { by, at, reason } = decision;
                let (by, reason) = (by.as_ref().map(|by| by.id), reason.as_ref().map(Reason::as_str));
                let changed = sql.execute(DECIDE, values![*id, *revision, state.name(), *at, by, reason]).await?;
                (changed, *item)
            }
            ProposalWrite::Told(id) => {
                sql.execute(TOLD, values![*id]).await?;
                continue;
            }
        };
        if changed == 0 {
            return Err(StoreError::Stale(item).into());
        }
    }
    Ok(())
}

async fn make<S: Sql>(sql: &S, proposal: &Proposal) -> Result<u64, S::Failure> {
    let Proposal { summary, item, states, requests, .. } = proposal;
    sql.query(LOCK_USER, values![summary.user.id], column::<Uuid>).await?;
    let pending: u64 = query_only(sql, COUNT, values![summary.user.id], column).await?;
    if pending >= MAX_PENDING_PROPOSALS {
        return Err(StoreError::TooManyProposals.into());
    }
    let (content_state, content) = content_columns(&proposal.content);
    let values = values![
        summary.id,
        summary.revision,
        summary.proposer().key(),
        summary.user.id,
        summary.token.as_ref().map(|token| token.id),
        names::stored_author(summary.author),
        summary.source.name(),
        summary.client.name(),
        summary.client.version(),
        summary.reason.as_ref().map(Reason::as_str),
        summary.item,
        summary.kind.name(),
        summary.space,
        &summary.title,
        unique_value(item),
        summary.base.map(|base| base.version),
        summary.base.map(|base| base.revision),
        json::encode_fields(&item.fields),
        item.functions.as_deref().map(functions::encode),
        item.created_at,
        item.archived_at,
        item.deleted_at,
        states.archive.map(Action::name),
        states.trash.map(Action::name),
        content_state,
        content,
        codec::encode_requests(requests),
        summary.created_at,
        summary.updated_at,
    ];
    sql.execute(INSERT, values).await
}

async fn replace<S: Sql>(sql: &S, proposal: &Proposal) -> Result<u64, S::Failure> {
    let Proposal { summary, item, states, requests, .. } = proposal;
    let (content_state, content) = content_columns(&proposal.content);
    let values = values![
        summary.id,
        summary.revision,
        names::stored_author(summary.author),
        summary.source.name(),
        summary.client.name(),
        summary.client.version(),
        summary.reason.as_ref().map(Reason::as_str),
        &summary.title,
        unique_value(item),
        summary.base.map(|base| base.version),
        summary.base.map(|base| base.revision),
        json::encode_fields(&item.fields),
        item.functions.as_deref().map(functions::encode),
        item.archived_at,
        item.deleted_at,
        states.archive.map(Action::name),
        states.trash.map(Action::name),
        content_state,
        content,
        codec::encode_requests(requests),
        summary.updated_at,
        item.created_at,
    ];
    sql.execute(REPLACE, values).await
}

/// The proposals of a proposer for an item that matter for its next write.
pub(crate) async fn own<S: Sql>(sql: &S, proposer: Proposer, item: ItemId) -> Result<OwnProposals, S::Failure> {
    let pending = query_first(sql, PENDING, values![proposer.key(), item], proposal_from_row).await?;
    let rejected = |row: &mut RowReader<'_>| {
        let (id, reason, at) = (row.get()?, row.optional()?, row.get()?);
        Ok(RejectedProposal { id, reason: reason.map(Reason::from_stored), at })
    };
    let rejected = query_first(sql, UNTOLD, values![proposer.key(), item], rejected).await?;
    Ok(OwnProposals { pending, rejected })
}

/// The item that a pending proposal of a proposer gives a name, path or address, in the first of the spaces that has one.
pub(crate) async fn proposed_item<S: Sql>(
    sql: &S,
    proposer: Proposer,
    spaces: &[SpaceId],
    kind: Kind,
    unique_value: &str,
) -> Result<Option<ItemId>, S::Failure> {
    let read = |row: &mut RowReader<'_>| Ok((row.get::<SpaceId>()?, row.get::<ItemId>()?));
    let found = sql.query(PROPOSED_ITEMS, values![proposer.key(), kind.name(), unique_value], read).await?;
    let in_space = |space: &SpaceId| found.iter().find(|(found, _)| found == space).map(|(_, item)| *item);
    Ok(spaces.iter().find_map(in_space))
}

/// A proposal.
pub(crate) async fn get<S: Sql>(sql: &S, id: ProposalId) -> Result<Option<Proposal>, S::Failure> {
    query_first(sql, BY_ID, values![id], proposal_from_row).await
}

/// Proposals, newest first.
pub(crate) async fn list<S: Sql>(sql: &S, query: &ProposalQuery) -> Result<Vec<ProposalSummary>, S::Failure> {
    let ProposalQuery { spaces, kinds, proposer, filter, after, limit } = query;
    let spaces = spaces_parameter::<S>(spaces);
    let kinds = kinds.iter().fold(",".to_owned(), |kinds, kind| kinds + kind.name() + ",");
    let before = after.map_or(Uuid::max(), ProposalId::uuid);
    let state = filter.state.map(ProposalState::name);
    let values =
        values![&spaces, &kinds, proposer.key(), state, filter.item, filter.user, filter.token, before, *limit];
    sql.query(LIST, values, summary_from_row).await
}

/// Pending proposals whose last revision was made before a time, the oldest first.
pub(crate) async fn old<S: Sql>(sql: &S, before: Timestamp, limit: usize) -> Result<Vec<ProposalSummary>, S::Failure> {
    sql.query(OLD, values![before, limit], summary_from_row).await
}

/// Removes some proposals that were decided before a time; how many, 0 if there are no more.
pub(crate) async fn forget<S: Sql>(sql: &S, before: Timestamp) -> Result<u64, S::Failure> {
    sql.execute(FORGET, values![before]).await
}

/// What no other item of its kind and space may have, if it is there after the proposal.
fn unique_value(item: &Item) -> Option<String> {
    let field: Option<UniqueField> = item.unique_field().filter(|_| item.deleted_at.is_none());
    field.map(|field| field.value().to_owned())
}

fn content_columns(content: &ProposedContent) -> (&'static str, Option<&str>) {
    match content {
        ProposedContent::Keep => ("keep", None),
        ProposedContent::Set(None) => ("none", None),
        ProposedContent::Set(Some(text)) => ("text", Some(text)),
    }
}

fn summary_from_row(row: &mut RowReader<'_>) -> Result<ProposalSummary, StoreError> {
    let (id, revision) = (row.get()?, row.get()?);
    let state = row.get::<&str>()?;
    let state = ProposalState::from_name(state)
        .ok_or_else(|| StoreError::Failed(format!("the state {state:?} of a proposal is unknown")))?;
    let (item, kind, space, title) = (row.get()?, names::parse_kind(row.get()?)?, row.get()?, row.optional()?);
    let base = row.optional()?.zip(row.optional()?).map(|(version, revision)| Stamp { version, revision });
    let user = NamedId { id: row.get()?, name: row.optional()? };
    let token = match (row.optional()?, row.optional()?) {
        (Some(id), name) => Some(NamedId { id, name }),
        (None, _) => None,
    };
    let (author, source) = (names::parse_author(row.optional()?)?, names::parse_source(row.get()?)?);
    let client = Client::from_stored(row.get()?, row.optional()?);
    let reason = row.optional()?.map(Reason::from_stored);
    let (created_at, updated_at) = (row.get()?, row.get()?);
    let (decided_at, by, name, why) = (row.optional::<Timestamp>()?, row.optional()?, row.optional()?, row.optional()?);
    let by = by.map(|id| NamedId { id, name });
    let decision = decided_at.map(|at| ProposalDecision { by, at, reason: why.map(Reason::from_stored) });
    Ok(ProposalSummary {
        id,
        revision,
        state,
        item,
        kind,
        space,
        title,
        base,
        user,
        token,
        author,
        source,
        client,
        reason,
        created_at,
        updated_at,
        decision,
    })
}

fn proposal_from_row(row: &mut RowReader<'_>) -> Result<Proposal, StoreError> {
    let summary = summary_from_row(row)?;
    let fields = json::decode_fields(row.get()?)?;
    let functions = row.optional::<&str>()?.map(functions::decode).transpose()?;
    let (created_at, archived_at, deleted_at) = (row.get()?, row.optional()?, row.optional()?);
    let archive = row.optional::<&str>()?.map(names::parse_action).transpose()?;
    let trash = row.optional::<&str>()?.map(names::parse_action).transpose()?;
    let (content_state, text) = (row.get::<&str>()?, row.optional::<Arc<str>>()?);
    let content = match content_state {
        "keep" => ProposedContent::Keep,
        _ => ProposedContent::Set(text),
    };
    let info = match &content {
        ProposedContent::Keep | ProposedContent::Set(None) => None,
        ProposedContent::Set(Some(text)) => Some(ContentInfo::from_text(text)),
    };
    let item = Item {
        id: summary.item,
        kind: summary.kind,
        space: summary.space,
        fields,
        content: info,
        functions,
        stamp: summary.base.unwrap_or(Stamp { version: 1, revision: 0 }),
        created_at,
        updated_at: summary.updated_at,
        last_used_at: None,
        archived_at,
        deleted_at,
        proposal: None,
    };
    let requests = codec::decode_requests(row.get()?)?;
    Ok(Proposal { summary, item, content, states: ProposedStates { archive, trash }, requests })
}

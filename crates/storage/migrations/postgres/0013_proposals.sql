-- Changes of items that wait for a person's decision, and tokens whose writes are kept so.

-- What becomes of a token's writes: 'propose', or null where they are applied.
ALTER TABLE tokens ADD COLUMN writes text;

-- JSON [proposal, user, its name, whose text]: the proposal that a version applies, and who accepted it; NULL of others.
ALTER TABLE versions ADD COLUMN accepted text;

CREATE TABLE proposals (
    id              uuid    NOT NULL PRIMARY KEY,
    revision        bigint NOT NULL,
    state           text    NOT NULL,                   -- pending, accepted, rejected, stale, withdrawn
    proposer        uuid    NOT NULL,                   -- the token, or the user without one
    "user"          uuid    NOT NULL REFERENCES users (id),
    token           uuid,
    author          text,                               -- 'agent', or NULL for people
    source          text    NOT NULL,
    client_name     text    NOT NULL,
    client_version  text,
    reason          text,
    item            uuid    NOT NULL,                   -- which may not exist yet
    kind            text    NOT NULL,
    space           uuid    NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
    title           text,
    unique_value    text,                               -- the proposed name, path or url; NULL where it is to be deleted
    base_version    bigint,                            -- NULL where it makes the item
    base_revision   bigint,
    fields          text    NOT NULL,                   -- as in versions
    functions       text,                               -- as in items
    item_created_at bigint NOT NULL,
    archived_at     bigint,
    deleted_at      bigint,
    archive_action  text,                               -- archive, unarchive, or NULL
    trash_action    text,                               -- delete, restore, or NULL
    content_state   text    NOT NULL,                   -- keep, none, text
    requests        text    NOT NULL,                   -- JSON
    created_at      bigint NOT NULL,
    updated_at      bigint NOT NULL,
    decided_at      bigint,
    decided_by      uuid,
    decision_reason text,
    told            bigint NOT NULL DEFAULT 0,         -- 1 when the proposer knows that it was rejected
    content         text                                -- last: it may be long
);

-- One for each item and proposer.
CREATE UNIQUE INDEX proposals_pending ON proposals (proposer, item) WHERE state = 'pending';
CREATE INDEX proposals_untold ON proposals (proposer, item) WHERE state = 'rejected' AND told = 0;
CREATE INDEX proposals_of_user ON proposals ("user") WHERE state = 'pending';
CREATE INDEX proposals_by_age ON proposals (updated_at) WHERE state = 'pending';
CREATE INDEX proposals_decided ON proposals (decided_at) WHERE decided_at IS NOT NULL;
CREATE INDEX proposals_of_item ON proposals (item);
CREATE INDEX proposals_by_space ON proposals (space, id);
CREATE INDEX proposals_by_proposer ON proposals (proposer, id);

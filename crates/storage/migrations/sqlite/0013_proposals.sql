-- Changes of items that wait for a person's decision, and tokens whose writes are kept so.

-- What becomes of a token's writes: 'propose', or NULL where they are applied.
ALTER TABLE tokens ADD COLUMN writes TEXT;

-- JSON [proposal, user, its name, whose text]: the proposal that a version applies, and who accepted it; NULL of others.
ALTER TABLE versions ADD COLUMN accepted TEXT;

CREATE TABLE proposals (
    id              BLOB    NOT NULL PRIMARY KEY,
    revision        INTEGER NOT NULL,
    state           TEXT    NOT NULL,                   -- pending, accepted, rejected, stale, withdrawn
    proposer        BLOB    NOT NULL,                   -- the token, or the user without one
    user            BLOB    NOT NULL REFERENCES users (id),
    token           BLOB,
    author          TEXT,                               -- 'agent', or NULL for people
    source          TEXT    NOT NULL,
    client_name     TEXT    NOT NULL,
    client_version  TEXT,
    reason          TEXT,
    item            BLOB    NOT NULL,                   -- which may not exist yet
    kind            TEXT    NOT NULL,
    space           BLOB    NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
    title           TEXT,
    unique_value    TEXT,                               -- the proposed name, path or url; NULL where it is to be deleted
    base_version    INTEGER,                            -- NULL where it makes the item
    base_revision   INTEGER,
    fields          TEXT    NOT NULL,                   -- as in versions
    functions       TEXT,                               -- as in items
    item_created_at INTEGER NOT NULL,
    archived_at     INTEGER,
    deleted_at      INTEGER,
    archive_action  TEXT,                               -- archive, unarchive, or NULL
    trash_action    TEXT,                               -- delete, restore, or NULL
    content_state   TEXT    NOT NULL,                   -- keep, none, text
    requests        TEXT    NOT NULL,                   -- JSON
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    decided_at      INTEGER,
    decided_by      BLOB,
    decision_reason TEXT,
    told            INTEGER NOT NULL DEFAULT 0,         -- 1 when the proposer knows that it was rejected
    content         TEXT                                -- last: it may be long
) STRICT;

-- One for each item and proposer.
CREATE UNIQUE INDEX proposals_pending ON proposals (proposer, item) WHERE state = 'pending';
CREATE INDEX proposals_untold ON proposals (proposer, item) WHERE state = 'rejected' AND told = 0;
CREATE INDEX proposals_of_user ON proposals (user) WHERE state = 'pending';
CREATE INDEX proposals_by_age ON proposals (updated_at) WHERE state = 'pending';
CREATE INDEX proposals_decided ON proposals (decided_at) WHERE decided_at IS NOT NULL;
CREATE INDEX proposals_of_item ON proposals (item);
CREATE INDEX proposals_by_space ON proposals (space, id);
CREATE INDEX proposals_by_proposer ON proposals (proposer, id);

-- Users, the spaces that items live in, items with their contents and histories, events, and what the background needs.
--
-- Ids are UUIDv7. Times are microseconds since 1970. Small structures that no query looks into are JSON texts. Text that
-- is compared or sorted is so by its bytes (COLLATE "C"), whatever the order of the database is.

-- Companies, schools, teams: who users belong to.
CREATE TABLE organizations (
    id         uuid   PRIMARY KEY,
    name       text   NOT NULL,
    domain     text,
    created_at bigint NOT NULL
);

CREATE TABLE users (
    id           uuid   PRIMARY KEY,
    name         text   NOT NULL,
    email        text,
    rank         text   NOT NULL, -- member, admin
    organization uuid   REFERENCES organizations,
    created_at   bigint NOT NULL,
    deleted_at   bigint           -- since when it is only a name in histories
);

-- Where items live: a user's own, an organization's, an app's, or (with none of them) everybody's. Each has one.
CREATE TABLE spaces (
    id           uuid   PRIMARY KEY,
    "user"       uuid   UNIQUE REFERENCES users,
    organization uuid   UNIQUE REFERENCES organizations,
    app          uuid   UNIQUE,
    name         text   NOT NULL,
    -- The number of the newest event. It is counted up in the transaction that writes the event and locked until its
    -- commit, so that the order of numbers is the order of commits and a reader skips none. (A sequence is not.)
    last_event   bigint NOT NULL DEFAULT 0,
    CHECK (num_nonnulls("user", organization, app) <= 1)
);

-- There is one that is everybody's.
CREATE UNIQUE INDEX global_space ON spaces (("user" IS NULL))
    WHERE "user" IS NULL AND organization IS NULL AND app IS NULL;

-- Who may do what in a space. Keyed by user first: every request asks for the spaces of one user.
CREATE TABLE members (
    "user" uuid NOT NULL REFERENCES users,
    space  uuid NOT NULL REFERENCES spaces,
    role   text NOT NULL, -- reader, writer, owner
    PRIMARY KEY ("user", space)
);

-- Who goes with a space.
CREATE INDEX members_of_space ON members (space);

CREATE TABLE tokens (
    id           uuid   PRIMARY KEY,
    "user"       uuid   NOT NULL REFERENCES users,
    name         text   NOT NULL,
    secret       bytea,           -- SHA-256 of what the client sends; NULL of one that is only a name in histories
    scopes       text   NOT NULL, -- JSON
    kinds        text,            -- JSON; NULL is all
    spaces       text,            -- JSON; NULL is all of its user's
    prefix       text   NOT NULL,
    created_at   bigint NOT NULL,
    expires_at   bigint,
    last_used_at bigint
);

-- Every request looks a token up by what the client sent.
CREATE UNIQUE INDEX tokens_by_secret ON tokens (secret);
CREATE INDEX tokens_of_user ON tokens ("user", created_at, id);

-- Items of all kinds, without their contents: a list never touches a big text.
CREATE TABLE items (
    id                 uuid    PRIMARY KEY,
    kind               text    NOT NULL,
    space              uuid    NOT NULL REFERENCES spaces,
    version            bigint  NOT NULL,
    revision           bigint  NOT NULL,
    created_at         bigint  NOT NULL,
    updated_at         bigint  NOT NULL,
    last_used_at       bigint,
    archived_at        bigint,
    deleted_at         bigint,
    -- 0 active, 1 archived, 2 deleted. Computed, so that it cannot say anything else than the times do.
    view               integer NOT NULL GENERATED ALWAYS AS (
        CASE WHEN deleted_at IS NOT NULL THEN 2 WHEN archived_at IS NOT NULL THEN 1 ELSE 0 END
    ) STORED,
    title              text,
    title_key          text    COLLATE "C", -- what titles are sorted by
    description        text,
    tags               text    NOT NULL,    -- JSON; `item_tags` is for looking them up
    url                text    COLLATE "C",
    name               text    COLLATE "C",
    arguments          text,                -- JSON
    path               text    COLLATE "C",
    path_key           text    COLLATE "C", -- what paths are sorted by
    functions          text,                -- JSON: what is known of the code without reading it
    enrichment         text,                -- JSON: what was found out about the item, beside what its author gave it
    content_type       text    NOT NULL DEFAULT 'text/markdown',
    -- What is known of the content; all NULL without one.
    content_characters bigint,
    content_bytes      bigint,
    content_lines      bigint,
    content_preview    text,
    content_hash       bytea,
    -- The undo records since the last one that stands alone: when they outgrow the content, a whole copy is due.
    chain_bytes        bigint  NOT NULL DEFAULT 0,
    chain_steps        bigint  NOT NULL DEFAULT 0
);

-- The orders of the lists that are asked for most: a page is the next few entries, however many items there are. There
-- is none by title: an index has no room for the longest ones.
CREATE INDEX items_by_update ON items (space, view, updated_at, id, kind);
CREATE INDEX items_by_creation ON items (space, view, created_at, id, kind);

-- What two items of a kind cannot share in a space, unless one of them is deleted.
CREATE UNIQUE INDEX items_by_url ON items (space, kind, url) WHERE url IS NOT NULL AND deleted_at IS NULL;
CREATE UNIQUE INDEX items_by_name ON items (space, kind, name) WHERE name IS NOT NULL AND deleted_at IS NULL;
CREATE UNIQUE INDEX items_by_path ON items (space, kind, path) WHERE path IS NOT NULL AND deleted_at IS NULL;

-- The trash, oldest first.
CREATE INDEX items_by_deletion ON items (deleted_at) WHERE deleted_at IS NOT NULL;

-- The newest content of each item, whole. No row is no content.
CREATE TABLE contents (
    item uuid PRIMARY KEY REFERENCES items ON DELETE CASCADE,
    text text NOT NULL
);

-- Out of line and as it is: compressing a long text at every edit takes longer than writing it.
ALTER TABLE contents ALTER COLUMN text SET STORAGE EXTERNAL;

-- The tags of items. (SQLite's tables of counts have no counterpart here: their rows would be locked by every writer.)
CREATE TABLE item_tags (
    item uuid NOT NULL REFERENCES items ON DELETE CASCADE,
    tag  text COLLATE "C" NOT NULL,
    PRIMARY KEY (item, tag)
);

-- The items that have a tag.
CREATE INDEX item_tags_by_tag ON item_tags (tag, item);

-- The history of items: a record of every change. Users and tokens may be gone; their ids stay.
CREATE TABLE versions (
    item               uuid   NOT NULL REFERENCES items ON DELETE CASCADE,
    -- The item's stamp after the change; the order of stamps is the order of the history.
    stamp_version      bigint NOT NULL,
    stamp_revision     bigint NOT NULL,
    -- The version that it made; NULL for a record between versions (archiving, deleting, …).
    version            bigint,
    action             text   NOT NULL,
    changed_fields     text   NOT NULL, -- JSON
    at                 bigint NOT NULL,
    source             text   NOT NULL,
    "user"             uuid   NOT NULL,
    token              uuid,
    content_characters bigint,          -- the sizes after the change; NULL without content
    content_bytes      bigint,
    -- Of records that made a version: the fields after it as JSON (NULL is as in the version before), and how the
    -- content before it is made from the one after it (see the crate's `codec::undo`).
    fields             text,
    undo_kind          bigint,
    undo               bytea,
    PRIMARY KEY (item, stamp_version, stamp_revision)
);

-- Undo records that are long are compressed already.
ALTER TABLE versions ALTER COLUMN undo SET STORAGE EXTERNAL;

-- What happened in a space, for those who listen. It outlives the items. The oldest of a space have its lowest numbers,
-- so that forgetting them needs no index of times, which every change would have to write.
CREATE TABLE events (
    space          uuid   NOT NULL REFERENCES spaces,
    number         bigint NOT NULL,
    event          text   NOT NULL, -- created, updated, archived, unarchived, deleted, restored, purged
    item           uuid   NOT NULL, -- the id
    kind           text   NOT NULL,
    version        bigint NOT NULL,
    changed_fields text   NOT NULL, -- JSON
    source         text   NOT NULL,
    at             bigint NOT NULL,
    PRIMARY KEY (space, number)
);

-- Work for the background, claimed with a lease.
CREATE TABLE jobs (
    number       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    task         text   NOT NULL,
    payload      text   NOT NULL, -- JSON
    created_at   bigint NOT NULL,
    due_at       bigint NOT NULL, -- not before; later after each failure
    claim        uuid,            -- whose it is: another id for each claim, so that one that lost it cannot end it
    leased_until bigint,          -- the claim has until then
    attempts     bigint NOT NULL DEFAULT 0,
    failure      text,            -- of the last attempt
    failed_at    bigint           -- when it was given up
);

-- The next job to do.
CREATE INDEX jobs_by_time ON jobs (due_at) WHERE failed_at IS NULL;

-- The answers to writes that a client may send again, without contents.
CREATE TABLE idempotency (
    "user"  uuid   NOT NULL REFERENCES users,
    key     text   COLLATE "C" NOT NULL, -- what the client calls it
    request bytea  NOT NULL,             -- a hash: the same key with another request is a mistake
    answer  text   NOT NULL,
    at      bigint NOT NULL,
    PRIMARY KEY ("user", key)
);

-- What is old enough to be forgotten.
CREATE INDEX idempotency_by_time ON idempotency (at);

-- Items that the search index does not know as they are. No reference: a purged item is to be forgotten there too.
CREATE TABLE stale_items (
    item uuid   PRIMARY KEY, -- the id
    mark bigint NOT NULL     -- counts the changes, so that one during the indexing is not lost
);

-- What the store knows about itself.
CREATE TABLE meta (
    key   text PRIMARY KEY,
    value text NOT NULL
);

-- Users, the spaces that items live in, items with their contents and histories, events, and what the background needs.
--
-- Ids are the 16 bytes of a UUIDv7. Times are microseconds since 1970. Small structures that no query looks into are JSON
-- texts. Text is compared and sorted by its bytes.

-- Companies, schools, teams: who users belong to.
CREATE TABLE organizations (
    id         BLOB    NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL,
    domain     TEXT,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE users (
    id           BLOB    NOT NULL PRIMARY KEY,
    name         TEXT    NOT NULL,
    email        TEXT,
    rank         TEXT    NOT NULL, -- member, admin
    organization BLOB    REFERENCES organizations (id),
    created_at   INTEGER NOT NULL,
    deleted_at   INTEGER           -- since when it is only a name in histories
) STRICT, WITHOUT ROWID;

-- Where items live: a user's own, an organization's, an app's, or (with none of them) everybody's. Each has one.
CREATE TABLE spaces (
    id           BLOB    NOT NULL PRIMARY KEY,
    user         BLOB    UNIQUE REFERENCES users (id),
    organization BLOB    UNIQUE REFERENCES organizations (id),
    app          BLOB    UNIQUE,
    name         TEXT    NOT NULL,
    -- The number of the newest event. It is counted up in the transaction that writes the event, so that the order of
    -- numbers is the order of commits and a reader skips none.
    last_event   INTEGER NOT NULL DEFAULT 0,
    CHECK ((user IS NOT NULL) + (organization IS NOT NULL) + (app IS NOT NULL) <= 1)
) STRICT, WITHOUT ROWID;

-- There is one that is everybody's.
CREATE UNIQUE INDEX global_space ON spaces ((user IS NULL))
    WHERE user IS NULL AND organization IS NULL AND app IS NULL;

-- Who may do what in a space. Keyed by user first: every request asks for the spaces of one user.
CREATE TABLE members (
    user  BLOB NOT NULL REFERENCES users (id),
    space BLOB NOT NULL REFERENCES spaces (id),
    role  TEXT NOT NULL, -- reader, writer, owner
    PRIMARY KEY (user, space)
) STRICT, WITHOUT ROWID;

-- Who goes with a space.
CREATE INDEX members_of_space ON members (space);

CREATE TABLE tokens (
    id           BLOB    NOT NULL PRIMARY KEY,
    user         BLOB    NOT NULL REFERENCES users (id),
    name         TEXT    NOT NULL,
    secret       BLOB,             -- SHA-256 of what the client sends; NULL of one that is only a name in histories
    scopes       TEXT    NOT NULL, -- JSON
    kinds        TEXT,             -- JSON; NULL is all
    spaces       TEXT,             -- JSON; NULL is all of its user's
    prefix       TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER,
    last_used_at INTEGER
) STRICT, WITHOUT ROWID;

-- Every request looks a token up by what the client sent.
CREATE UNIQUE INDEX tokens_by_secret ON tokens (secret);
-- The tokens of a user, oldest first: ids are in the order of creation.
CREATE INDEX tokens_of_user ON tokens (user, id);

-- Items of all kinds, without their contents: a list never touches a big text.
CREATE TABLE items (
    -- What the other tables and the search index call it: short, and never used again after a purge, so that a late
    -- mark of the search index cannot mean another item.
    number             INTEGER PRIMARY KEY AUTOINCREMENT,
    id                 BLOB    NOT NULL,
    kind               TEXT    NOT NULL,
    space              BLOB    NOT NULL REFERENCES spaces (id),
    version            INTEGER NOT NULL,
    revision           INTEGER NOT NULL,
    created_at         INTEGER NOT NULL,
    updated_at         INTEGER NOT NULL,
    last_used_at       INTEGER,
    archived_at        INTEGER,
    deleted_at         INTEGER,
    -- 0 active, 1 archived, 2 deleted. Computed, so that it cannot say anything else than the times do.
    view               INTEGER NOT NULL GENERATED ALWAYS AS (
        CASE WHEN deleted_at IS NOT NULL THEN 2 WHEN archived_at IS NOT NULL THEN 1 ELSE 0 END
    ) VIRTUAL,
    title              TEXT,
    title_key          TEXT,             -- what titles are sorted by
    description        TEXT,
    tags               TEXT    NOT NULL, -- JSON; `item_tags` is for looking them up
    url                TEXT,
    name               TEXT,
    arguments          TEXT,             -- JSON
    path               TEXT,
    path_key           TEXT,             -- what paths are sorted by
    functions          TEXT,             -- JSON: what is known of the code without reading it
    enrichment         TEXT,             -- JSON: what was found out about the item, beside what its author gave it
    content_type       TEXT    NOT NULL DEFAULT 'text/markdown',
    -- What is known of the content; all NULL without one.
    content_characters INTEGER,
    content_bytes      INTEGER,
    content_lines      INTEGER,
    content_preview    TEXT,
    content_hash       BLOB,
    -- The undo records since the last one that stands alone: when they outgrow the content, a whole copy is due.
    chain_bytes        INTEGER NOT NULL DEFAULT 0,
    chain_steps        INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Point reads. Not the primary key: the rows are too wide for the inner pages of a tree.
CREATE UNIQUE INDEX items_by_id ON items (id);

-- One index for each order of a list: a page is the next few entries of it, however many items there are. Only the one
-- of `updated_at` changes with every edit. Ids break ties, and complete the entry so that paging reads nothing else.
CREATE INDEX items_by_update ON items (space, kind, view, updated_at, id);
CREATE INDEX items_by_creation ON items (space, kind, view, created_at, id);
CREATE INDEX items_by_use ON items (space, kind, view, last_used_at, id);
CREATE INDEX items_by_title ON items (space, kind, view, title_key, id);

-- What two items of a kind cannot share in a space, unless one of them is deleted.
CREATE UNIQUE INDEX items_by_url ON items (space, kind, url) WHERE url IS NOT NULL AND deleted_at IS NULL;
CREATE UNIQUE INDEX items_by_name ON items (space, kind, name) WHERE name IS NOT NULL AND deleted_at IS NULL;
CREATE UNIQUE INDEX items_by_path ON items (space, kind, path) WHERE path IS NOT NULL AND deleted_at IS NULL;

-- The trash, oldest first.
CREATE INDEX items_by_deletion ON items (deleted_at) WHERE deleted_at IS NOT NULL;

-- The newest content of each item, whole. No row is no content.
CREATE TABLE contents (
    item INTEGER PRIMARY KEY REFERENCES items (number) ON DELETE CASCADE,
    text TEXT NOT NULL
) STRICT;

-- The tags of items, with what lists filter by beside them.
CREATE TABLE item_tags (
    item  INTEGER NOT NULL REFERENCES items (number) ON DELETE CASCADE,
    tag   TEXT    NOT NULL,
    space BLOB    NOT NULL,
    kind  TEXT    NOT NULL,
    view  INTEGER NOT NULL,
    PRIMARY KEY (item, tag)
) STRICT, WITHOUT ROWID;

-- The items that have a tag, without a look at the items.
CREATE INDEX item_tags_by_tag ON item_tags (space, tag, kind, view, item);

-- How many items there are, since counting a million takes too long for a page of 50. Kept by the triggers below: no
-- way of changing an item gets around them, and an edit of a content does not set them off.
CREATE TABLE item_counts (
    space BLOB    NOT NULL,
    kind  TEXT    NOT NULL,
    view  INTEGER NOT NULL,
    items INTEGER NOT NULL,
    PRIMARY KEY (space, kind, view)
) STRICT, WITHOUT ROWID;

-- How many items have a tag.
CREATE TABLE tag_counts (
    space BLOB    NOT NULL,
    tag   TEXT    NOT NULL,
    kind  TEXT    NOT NULL,
    view  INTEGER NOT NULL,
    items INTEGER NOT NULL,
    PRIMARY KEY (space, tag, kind, view)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER items_come AFTER INSERT ON items BEGIN
    INSERT INTO item_counts VALUES (new.space, new.kind, new.view, 1)
        ON CONFLICT DO UPDATE SET items = items + 1;
END;

CREATE TRIGGER items_go AFTER DELETE ON items BEGIN
    UPDATE item_counts SET items = items - 1
        WHERE space = old.space AND kind = old.kind AND view = old.view;
END;

CREATE TRIGGER items_move AFTER UPDATE OF archived_at, deleted_at ON items WHEN old.view <> new.view BEGIN
    UPDATE item_counts SET items = items - 1
        WHERE space = old.space AND kind = old.kind AND view = old.view;
    INSERT INTO item_counts VALUES (new.space, new.kind, new.view, 1)
        ON CONFLICT DO UPDATE SET items = items + 1;
    UPDATE item_tags SET view = new.view WHERE item = new.number;
END;

CREATE TRIGGER item_tags_come AFTER INSERT ON item_tags BEGIN
    INSERT INTO tag_counts VALUES (new.space, new.tag, new.kind, new.view, 1)
        ON CONFLICT DO UPDATE SET items = items + 1;
END;

CREATE TRIGGER item_tags_go AFTER DELETE ON item_tags BEGIN
    UPDATE tag_counts SET items = items - 1
        WHERE space = old.space AND tag = old.tag AND kind = old.kind AND view = old.view;
    DELETE FROM tag_counts
        WHERE space = old.space AND tag = old.tag AND kind = old.kind AND view = old.view AND items = 0;
END;

CREATE TRIGGER item_tags_move AFTER UPDATE OF view ON item_tags BEGIN
    UPDATE tag_counts SET items = items - 1
        WHERE space = old.space AND tag = old.tag AND kind = old.kind AND view = old.view;
    DELETE FROM tag_counts
        WHERE space = old.space AND tag = old.tag AND kind = old.kind AND view = old.view AND items = 0;
    INSERT INTO tag_counts VALUES (new.space, new.tag, new.kind, new.view, 1)
        ON CONFLICT DO UPDATE SET items = items + 1;
END;

-- The history of items: a record of every change. Users and tokens may be gone; their ids stay.
CREATE TABLE versions (
    item               INTEGER NOT NULL REFERENCES items (number) ON DELETE CASCADE,
    -- The item's stamp after the change; the order of stamps is the order of the history.
    stamp_version      INTEGER NOT NULL,
    stamp_revision     INTEGER NOT NULL,
    -- The version that it made; NULL for a record between versions (archiving, deleting, …).
    version            INTEGER,
    action             TEXT    NOT NULL,
    changed_fields     TEXT    NOT NULL, -- JSON
    at                 INTEGER NOT NULL,
    source             TEXT    NOT NULL,
    user               BLOB    NOT NULL,
    token              BLOB,
    content_characters INTEGER,          -- the sizes after the change; NULL without content
    content_bytes      INTEGER,
    -- Of records that made a version: the fields after it as JSON (NULL is as in the version before), and how the
    -- content before it is made from the one after it (see the crate's `codec::undo`).
    fields             TEXT,
    undo_kind          INTEGER,
    undo               BLOB
) STRICT;

-- The history of one item, in order. Not the primary key: whole copies are too big for the inner pages of a tree, and
-- the records of several items that are changed together land on one page.
CREATE UNIQUE INDEX versions_of_item ON versions (item, stamp_version, stamp_revision);

-- What happened in a space, for those who listen. It outlives the items. The oldest of a space have its lowest numbers,
-- so that forgetting them needs no index of times, which every change would have to write.
CREATE TABLE events (
    space          BLOB    NOT NULL REFERENCES spaces (id),
    number         INTEGER NOT NULL,
    event          TEXT    NOT NULL, -- created, updated, archived, unarchived, deleted, restored, purged
    item           BLOB    NOT NULL, -- the id
    kind           TEXT    NOT NULL,
    version        INTEGER NOT NULL,
    changed_fields TEXT    NOT NULL, -- JSON
    source         TEXT    NOT NULL,
    at             INTEGER NOT NULL,
    PRIMARY KEY (space, number)
) STRICT, WITHOUT ROWID;

-- Work for the background, claimed with a lease.
CREATE TABLE jobs (
    number       INTEGER PRIMARY KEY AUTOINCREMENT,
    task         TEXT    NOT NULL,
    payload      TEXT    NOT NULL, -- JSON
    created_at   INTEGER NOT NULL,
    due_at       INTEGER NOT NULL, -- not before; later after each failure
    claim        BLOB,             -- whose it is: another id for each claim, so that one that lost it cannot end it
    leased_until INTEGER,          -- the claim has until then
    attempts     INTEGER NOT NULL DEFAULT 0,
    failure      TEXT,             -- of the last attempt
    failed_at    INTEGER           -- when it was given up
) STRICT;

-- The next job to do.
CREATE INDEX jobs_by_time ON jobs (due_at) WHERE failed_at IS NULL;

-- The answers to writes that a client may send again, without contents.
CREATE TABLE idempotency (
    user    BLOB    NOT NULL REFERENCES users (id),
    key     TEXT    NOT NULL, -- what the client calls it
    request BLOB    NOT NULL, -- a hash: the same key with another request is a mistake
    answer  TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (user, key)
) STRICT, WITHOUT ROWID;

-- What is old enough to be forgotten.
CREATE INDEX idempotency_by_time ON idempotency (at);

-- Items that the search index does not know as they are. No reference: a purged item is to be forgotten there too.
CREATE TABLE stale_items (
    item INTEGER PRIMARY KEY, -- the number
    mark INTEGER NOT NULL     -- counts the changes, so that one during the indexing is not lost
) STRICT;

-- What the store knows about itself.
CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

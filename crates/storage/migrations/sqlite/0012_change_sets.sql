-- Who made a change and why, and which changes belong together; what people decided about them; tokens for agents.

-- Whether agents use a token: 'agent', or NULL for people.
ALTER TABLE tokens ADD COLUMN author TEXT;

-- Tokens that allow everything also allow decisions about the changes of agents.
UPDATE tokens SET scopes = '["read","write","admin","review"]' WHERE scopes = '["read","write","admin"]';

ALTER TABLE versions ADD COLUMN change_set     BLOB;    -- what one client did in one go
ALTER TABLE versions ADD COLUMN client_name    TEXT;    -- the program, as it calls itself
ALTER TABLE versions ADD COLUMN client_version TEXT;
ALTER TABLE versions ADD COLUMN reason         TEXT;
ALTER TABLE versions ADD COLUMN author         TEXT;    -- 'agent', or NULL for people
ALTER TABLE versions ADD COLUMN undoes         BLOB;    -- the change set that it takes back
ALTER TABLE versions ADD COLUMN lines_added    INTEGER; -- of the content, where that is known
ALTER TABLE versions ADD COLUMN lines_removed  INTEGER;

-- Changes from before this are a set each, with an identifier as the program makes them: of version 7, with its time.
UPDATE versions SET
    change_set = unhex(
        printf('%012x', at / 1000) || '7' || substr(hex(randomblob(2)), 2) || '8' || substr(hex(randomblob(8)), 2)
    ),
    client_name = 'unknown';

-- Which items a set has changed, and in which parts of their histories its records are. An edit finds its row there and
-- writes nothing, unless it is the first of its set in that part.
CREATE TABLE changed_items (
    space       BLOB    NOT NULL,           -- that of the item, which never changes
    set_begun   INTEGER NOT NULL,           -- when the set was begun, in whole milliseconds: sets are sorted by it
    change_set  BLOB    NOT NULL,
    item        INTEGER NOT NULL REFERENCES items (number) ON DELETE CASCADE,
    part        INTEGER NOT NULL,           -- stamp_version / 32 of the records
    -- Of the first of the records. Those of a set have the same user and token.
    user        BLOB    NOT NULL,
    token       BLOB,
    client_name TEXT    NOT NULL,
    author      TEXT,
    review      TEXT,                       -- unreviewed, kept, undone, partly_undone; NULL is kept from the start
    PRIMARY KEY (space, set_begun, change_set, item, part)
) STRICT, WITHOUT ROWID;

INSERT INTO changed_items (space, set_begun, change_set, item, part, user, token, client_name)
SELECT items.space, at / 1000 * 1000, change_set, item, stamp_version / 32, versions.user, token, client_name
FROM versions JOIN items ON items.number = versions.item;

-- The sets of an item, and the one that a record belongs to.
CREATE INDEX changed_items_of_item ON changed_items (item, part, change_set);
-- Whether a set has records, in whatever space.
CREATE INDEX changed_items_of_set ON changed_items (change_set);
-- The sets that nobody has decided about.
CREATE INDEX changed_items_unreviewed ON changed_items (space, set_begun, change_set) WHERE review = 'unreviewed';

-- Sets whose identifiers are not of the program's making: clients have named them.
CREATE TABLE change_set_names (
    id        BLOB    NOT NULL PRIMARY KEY,
    user      BLOB    NOT NULL REFERENCES users (id),
    token     BLOB,
    set_begun INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Those without a record are forgotten after a day.
CREATE INDEX change_set_names_by_time ON change_set_names (set_begun);

-- Which sets had changed an item that was purged since: what they did to it cannot be taken back.
CREATE TABLE purged_changes (
    space      BLOB    NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
    set_begun  INTEGER NOT NULL,
    change_set BLOB    NOT NULL,
    item       BLOB    NOT NULL,
    kind       TEXT    NOT NULL,
    purged_at  INTEGER NOT NULL,
    PRIMARY KEY (space, set_begun, change_set, item)
) STRICT, WITHOUT ROWID;

CREATE INDEX purged_changes_by_time ON purged_changes (purged_at);

-- Who made what an event tells of; NULL of events from before this.
-- An event about a change set has the set's identifier in `item`, and no kind.
ALTER TABLE events ADD COLUMN user BLOB;
ALTER TABLE events ADD COLUMN token BLOB;
ALTER TABLE events ADD COLUMN client_name TEXT;
ALTER TABLE events ADD COLUMN client_version TEXT;
ALTER TABLE events ADD COLUMN reason TEXT;
ALTER TABLE events ADD COLUMN change_set BLOB;
ALTER TABLE deliveries ADD COLUMN user BLOB;
ALTER TABLE deliveries ADD COLUMN token BLOB;
ALTER TABLE deliveries ADD COLUMN client_name TEXT;
ALTER TABLE deliveries ADD COLUMN client_version TEXT;
ALTER TABLE deliveries ADD COLUMN reason TEXT;
ALTER TABLE deliveries ADD COLUMN change_set BLOB;

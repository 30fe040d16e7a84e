-- Who made a change and why, and which changes belong together; what people decided about them; tokens for agents.

-- Whether agents use a token: 'agent', or NULL for people.
ALTER TABLE tokens ADD COLUMN author TEXT;

-- Tokens that allow everything also allow decisions about the changes of agents.
UPDATE tokens SET scopes = '["read","write","admin","review"]' WHERE scopes = '["read","write","admin"]';

ALTER TABLE versions ADD COLUMN space          BLOB;    -- that of the item, which never changes
ALTER TABLE versions ADD COLUMN change_set     BLOB;    -- what one client did in one go
ALTER TABLE versions ADD COLUMN set_begun      INTEGER; -- when it was begun, in whole milliseconds: sets are sorted by it
ALTER TABLE versions ADD COLUMN client_name    TEXT;    -- the program, as it calls itself
ALTER TABLE versions ADD COLUMN client_version TEXT;
ALTER TABLE versions ADD COLUMN reason         TEXT;
ALTER TABLE versions ADD COLUMN author         TEXT;    -- 'agent', or NULL for people
ALTER TABLE versions ADD COLUMN review         TEXT;    -- unreviewed, kept, undone, partly_undone; NULL is kept from the start
ALTER TABLE versions ADD COLUMN undoes         BLOB;    -- the change set that it takes back
ALTER TABLE versions ADD COLUMN lines_added    INTEGER; -- of the content, where that is known
ALTER TABLE versions ADD COLUMN lines_removed  INTEGER;

-- Changes from before this are a set each, with an identifier as the program makes them: of version 7, with its time.
UPDATE versions SET
    space = (SELECT space FROM items WHERE items.number = versions.item),
    set_begun = at / 1000 * 1000,
    change_set = unhex(
        printf('%012x', at / 1000) || '7' || substr(hex(randomblob(2)), 2) || '8' || substr(hex(randomblob(8)), 2)
    ),
    client_name = 'unknown';

-- The sets of a space in their order, and the records of a set.
CREATE INDEX versions_by_set ON versions (space, set_begun, change_set);
-- Those that nobody has decided about.
CREATE INDEX versions_unreviewed ON versions (space, set_begun, change_set) WHERE review = 'unreviewed';

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

-- JSON [user, its name, token, its name, client, its version, reason, change set]; NULL of events from before this.
-- An event about a change set has the set's identifier in `item`, and no kind.
ALTER TABLE events ADD COLUMN attribution TEXT;
ALTER TABLE deliveries ADD COLUMN attribution TEXT;

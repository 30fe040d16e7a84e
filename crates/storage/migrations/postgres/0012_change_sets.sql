-- Who made a change and why, and which changes belong together; what people decided about them; tokens for agents.

-- Whether agents use a token: 'agent', or null for people.
ALTER TABLE tokens ADD COLUMN author text;

-- Tokens that allow everything also allow decisions about the changes of agents.
UPDATE tokens SET scopes = '["read","write","admin","review"]' WHERE scopes = '["read","write","admin"]';

ALTER TABLE versions ADD COLUMN space          uuid;   -- that of the item, which never changes
ALTER TABLE versions ADD COLUMN change_set     uuid;   -- what one client did in one go
ALTER TABLE versions ADD COLUMN set_begun      bigint; -- when it was begun, in whole milliseconds: sets are sorted by it
ALTER TABLE versions ADD COLUMN client_name    text;   -- the program, as it calls itself
ALTER TABLE versions ADD COLUMN client_version text;
ALTER TABLE versions ADD COLUMN reason         text;
ALTER TABLE versions ADD COLUMN author         text;   -- 'agent', or null for people
ALTER TABLE versions ADD COLUMN review         text;   -- unreviewed, kept, undone, partly_undone; null is kept from the start
ALTER TABLE versions ADD COLUMN undoes         uuid;   -- the change set that it takes back
ALTER TABLE versions ADD COLUMN lines_added    bigint; -- of the content, where that is known
ALTER TABLE versions ADD COLUMN lines_removed  bigint;

-- Changes from before this are a set each, with an identifier as the program makes them: of version 7, with its time.
UPDATE versions SET
    space = items.space,
    set_begun = at / 1000 * 1000,
    change_set = (
        lpad(to_hex(at / 1000), 12, '0') || '7' || substr(md5(random()::text), 1, 3) || '8'
        || substr(md5(random()::text), 1, 15)
    )::uuid,
    client_name = 'unknown'
FROM items WHERE items.id = versions.item;

-- The sets of a space in their order, and the records of a set.
CREATE INDEX versions_by_set ON versions (space, set_begun, change_set);
-- Those that nobody has decided about.
CREATE INDEX versions_unreviewed ON versions (space, set_begun, change_set) WHERE review = 'unreviewed';

-- Sets whose identifiers are not of the program's making: clients have named them.
CREATE TABLE change_set_names (
    id        uuid   PRIMARY KEY,
    "user"    uuid   NOT NULL REFERENCES users (id),
    token     uuid,
    set_begun bigint NOT NULL
);

-- Those without a record are forgotten after a day.
CREATE INDEX change_set_names_by_time ON change_set_names (set_begun);

-- Which sets had changed an item that was purged since: what they did to it cannot be taken back.
CREATE TABLE purged_changes (
    space      uuid   NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
    set_begun  bigint NOT NULL,
    change_set uuid   NOT NULL,
    item       uuid   NOT NULL,
    kind       text   NOT NULL,
    purged_at  bigint NOT NULL,
    PRIMARY KEY (space, set_begun, change_set, item)
);

CREATE INDEX purged_changes_by_time ON purged_changes (purged_at);

-- JSON [user, its name, token, its name, client, its version, reason, change set]; null of events from before this.
-- An event about a change set has the set's identifier in `item`, and no kind.
ALTER TABLE events ADD COLUMN attribution text;
ALTER TABLE deliveries ADD COLUMN attribution text;

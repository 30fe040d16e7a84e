-- Who made a change and why, and which changes belong together; what people decided about them; tokens for agents.

-- Whether agents use a token: 'agent', or null for people.
ALTER TABLE tokens ADD COLUMN author text;

-- Tokens that allow everything also allow decisions about the changes of agents.
UPDATE tokens SET scopes = '["read","write","admin","review"]' WHERE scopes = '["read","write","admin"]';

ALTER TABLE versions ADD COLUMN change_set     uuid;   -- what one client did in one go
ALTER TABLE versions ADD COLUMN client_name    text;   -- the program, as it calls itself
ALTER TABLE versions ADD COLUMN client_version text;
ALTER TABLE versions ADD COLUMN reason         text;
ALTER TABLE versions ADD COLUMN author         text;   -- 'agent', or null for people
ALTER TABLE versions ADD COLUMN undoes         uuid;   -- the change set that it takes back
ALTER TABLE versions ADD COLUMN lines_added    bigint; -- of the content, where that is known
ALTER TABLE versions ADD COLUMN lines_removed  bigint;

-- Changes from before this are a set each, with an identifier as the program makes them: of version 7, with its time.
UPDATE versions SET
    change_set = (
        lpad(to_hex(at / 1000), 12, '0') || '7' || substr(md5(random()::text), 1, 3) || '8'
        || substr(md5(random()::text), 1, 15)
    )::uuid,
    client_name = 'unknown';

-- Which items a set has changed, and in which parts of their histories its records are. An edit finds its row there and
-- writes nothing, unless it is the first of its set in that part.
CREATE TABLE changed_items (
    space       uuid   NOT NULL,           -- that of the item, which never changes
    set_begun   bigint NOT NULL,           -- when the set was begun, in whole milliseconds: sets are sorted by it
    change_set  uuid   NOT NULL,
    item        uuid   NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    part        bigint NOT NULL,           -- stamp_version / 32 of the records
    -- Of the first of the records. Those of a set have the same user and token.
    "user"      uuid   NOT NULL,
    token       uuid,
    client_name text   NOT NULL,
    author      text,
    review      text,                      -- unreviewed, kept, undone, partly_undone; null is kept from the start
    PRIMARY KEY (space, set_begun, change_set, item, part)
);

INSERT INTO changed_items (space, set_begun, change_set, item, part, "user", token, client_name)
SELECT items.space, at / 1000 * 1000, change_set, item, stamp_version / 32, versions."user", token, client_name
FROM versions JOIN items ON items.id = versions.item;

-- The sets of an item, and the one that a record belongs to.
CREATE INDEX changed_items_of_item ON changed_items (item, part, change_set);
-- Whether a set has records, in whatever space.
CREATE INDEX changed_items_of_set ON changed_items (change_set);
-- The sets that nobody has decided about.
CREATE INDEX changed_items_unreviewed ON changed_items (space, set_begun, change_set) WHERE review = 'unreviewed';

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

-- Who made what an event tells of; null of events from before this.
-- An event about a change set has the set's identifier in `item`, and no kind.
ALTER TABLE events ADD COLUMN "user" uuid;
ALTER TABLE events ADD COLUMN token uuid;
ALTER TABLE events ADD COLUMN client_name text;
ALTER TABLE events ADD COLUMN client_version text;
ALTER TABLE events ADD COLUMN reason text;
ALTER TABLE events ADD COLUMN change_set uuid;
ALTER TABLE deliveries ADD COLUMN "user" uuid;
ALTER TABLE deliveries ADD COLUMN token uuid;
ALTER TABLE deliveries ADD COLUMN client_name text;
ALTER TABLE deliveries ADD COLUMN client_version text;
ALTER TABLE deliveries ADD COLUMN reason text;
ALTER TABLE deliveries ADD COLUMN change_set uuid;

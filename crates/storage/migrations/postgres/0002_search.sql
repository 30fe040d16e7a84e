-- The index of searches: which items have a term. It is made of segments that never change: each is a sorted run of
-- terms with the items that have them, cut into blocks (see the crate's `search`). A step of the index adds a segment of
-- the items that changed; segments that became many are put together into one.

-- What the index calls an item: short, and never used again after a purge.
ALTER TABLE items ADD COLUMN number bigint NOT NULL GENERATED ALWAYS AS IDENTITY;
CREATE UNIQUE INDEX items_by_number ON items (number);

CREATE TABLE search_segments (
    number bigint   PRIMARY KEY GENERATED ALWAYS AS IDENTITY, -- never used again, so that a late reader cannot mean another
    state  smallint NOT NULL,                                 -- 0 being made, 1 counts, 2 to be removed
    items  bigint   NOT NULL,                                 -- how many items it has, dead ones too
    bytes  bigint   NOT NULL,                                 -- the size of its blocks
    dead   bytea    NOT NULL                                  -- the items that do not count in it any more
);

CREATE TABLE search_blocks (
    segment bigint NOT NULL REFERENCES search_segments (number),
    first   bytea  NOT NULL, -- the first of its terms
    data    bytea  NOT NULL,
    -- The block that has a term is the last one that does not begin after it.
    PRIMARY KEY (segment, first)
);

-- Blocks are compact already.
ALTER TABLE search_blocks ALTER COLUMN data SET STORAGE EXTERNAL;

-- When the item changed, in microseconds: one that is being edited is indexed when that is over.
ALTER TABLE stale_items ADD COLUMN changed_at bigint NOT NULL DEFAULT 0;

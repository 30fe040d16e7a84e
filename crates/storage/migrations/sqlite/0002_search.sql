-- The index of searches: which items have a term. It is made of segments that never change: each is a sorted run of
-- terms with the items that have them, cut into blocks (see the crate's `search`). A step of the index adds a segment of
-- the items that changed; segments that became many are put together into one.

CREATE TABLE search_segments (
    number INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again, so that a late reader cannot mean another
    state  INTEGER NOT NULL,                  -- 0 being made, 1 counts, 2 to be removed
    items  INTEGER NOT NULL,                  -- how many items it has, dead ones too
    bytes  INTEGER NOT NULL,                  -- the size of its blocks
    dead   BLOB    NOT NULL                   -- the items that do not count in it any more
) STRICT;

CREATE TABLE search_blocks (
    segment INTEGER NOT NULL REFERENCES search_segments (number),
    first   BLOB    NOT NULL, -- the first of its terms
    data    BLOB    NOT NULL
) STRICT;

-- The block that has a term is the last one that does not begin after it.
CREATE UNIQUE INDEX search_blocks_by_term ON search_blocks (segment, first);

-- When the item changed, in microseconds: one that is being edited is indexed when that is over.
ALTER TABLE stale_items ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0;

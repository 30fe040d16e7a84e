-- Import and export: front matter of items, where imported changes come from, and what was imported.

-- YAML that the source of an item had and that no other column holds.
ALTER TABLE items ADD COLUMN front_matter text;

-- Of a change that was imported with its history: JSON {user, token}, the names as the source has them.
ALTER TABLE versions ADD COLUMN imported_from text;

-- The records that were imported, and the items that they became, so that the next import of the same source finds them.
CREATE TABLE import_sources (
    space   uuid   NOT NULL REFERENCES spaces,
    source  text   COLLATE "C" NOT NULL, -- what the importer calls the source
    key     text   COLLATE "C" NOT NULL, -- what names the record inside the source
    item    uuid   NOT NULL REFERENCES items ON DELETE CASCADE,
    hash    bytea  NOT NULL,             -- of the record as it was imported
    version bigint NOT NULL,             -- of the item, that the import wrote or found
    origin  text   NOT NULL,             -- made, found, begun
    PRIMARY KEY (space, source, key)
);

-- The records that go with an item when it is purged.
CREATE INDEX import_sources_of_item ON import_sources (item);

-- The items of a space in the order of ids: what an export goes through.
CREATE INDEX items_in_space ON items (space, id);

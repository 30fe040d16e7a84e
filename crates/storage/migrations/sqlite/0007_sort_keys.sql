-- What items are sorted by: what they are called, and when they were archived or deleted.

-- An item without a title is called by its name, its address or its path. Names and addresses are ASCII.
UPDATE items SET title_key = coalesce(name, lower(url), path_key) WHERE title IS NULL;

-- Of the few that have such a time: the archive and the trash, sorted.
CREATE INDEX items_by_archival ON items (space, kind, view, archived_at, id) WHERE archived_at IS NOT NULL;
CREATE INDEX items_in_trash ON items (space, kind, view, deleted_at, id) WHERE deleted_at IS NOT NULL;
-- And of those that have none, by id.
CREATE INDEX items_in_partition ON items (space, kind, view, id);

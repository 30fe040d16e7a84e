-- What items are sorted by: what they are called.

-- An item without a title is called by its name, its address or its path. Names and addresses are ASCII.
UPDATE items SET title_key = coalesce(name, lower(url), path_key) WHERE title IS NULL;

-- The hash of the content of each version, as `items.content_hash` has it of the newest: what is rebuilt is checked against it.
-- NULL of versions without a content, and of those that are older than this column.
ALTER TABLE versions ADD COLUMN content_hash BLOB;

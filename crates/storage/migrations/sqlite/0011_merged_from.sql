-- A change that was made for an older version and merged with what came after it. The version on which it was committed is the one
-- before its own.
ALTER TABLE versions ADD COLUMN merged_base INTEGER; -- the version for which it was made; null for a change that is no merge

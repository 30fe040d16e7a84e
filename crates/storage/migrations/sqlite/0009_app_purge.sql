-- An app is removed from the trash in steps. Of one that is marked a part may be gone: it does not exist for anyone, and what is
-- left of it is removed.
ALTER TABLE apps ADD COLUMN is_purging INTEGER NOT NULL DEFAULT 0; -- 1 for one that is

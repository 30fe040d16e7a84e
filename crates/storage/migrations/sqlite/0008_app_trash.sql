-- Apps are deleted like items: they go into the trash, come back from there, and are removed when they were there long enough.
ALTER TABLE apps ADD COLUMN deleted_at INTEGER;

-- The slug of a deleted app is free.
DROP INDEX apps_by_slug;
CREATE UNIQUE INDEX apps_by_slug ON apps (slug, coalesce(organization, X'')) WHERE deleted_at IS NULL;
-- The apps that have a slug, deleted or not.
CREATE INDEX apps_of_slug ON apps (slug);
-- The trash.
CREATE INDEX apps_by_deletion ON apps (deleted_at) WHERE deleted_at IS NOT NULL;
-- Whether a published content is still one of some version.
CREATE INDEX app_version_files_by_hash ON app_version_files (hash);

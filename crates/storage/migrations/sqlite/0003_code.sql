-- Code: apps with their published versions, and the space that is everybody's. Files are items; their paths and functions
-- have had columns from the start.

-- What nobody in particular owns: global workflows and modules. Its id is the same in every store.
INSERT INTO spaces (id, name) VALUES (X'00000000000070008000000000000001', 'global');

-- Files that belong together; `spaces.app` says which space they are in.
CREATE TABLE apps (
    id                BLOB    NOT NULL PRIMARY KEY,
    slug              TEXT    NOT NULL,
    name              TEXT    NOT NULL,
    description       TEXT,
    organization      BLOB    REFERENCES organizations (id), -- NULL is everybody's
    navigation        TEXT,                                  -- JSON
    published_version INTEGER,
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What two apps of an organization cannot share; that of no organization counts as one.
CREATE UNIQUE INDEX apps_by_slug ON apps (slug, coalesce(organization, X''));
-- Every request asks for the apps of an organization.
CREATE INDEX apps_of_organization ON apps (organization);

-- What was published. Nothing here changes once it is written.
CREATE TABLE app_versions (
    app          BLOB    NOT NULL REFERENCES apps (id),
    version      INTEGER NOT NULL,
    published_at INTEGER NOT NULL,
    user         BLOB    NOT NULL, -- who may be gone
    files        INTEGER NOT NULL,
    PRIMARY KEY (app, version)
) STRICT, WITHOUT ROWID;

-- The contents of published files, each once however many versions have it. They are copies: the items that they came
-- from may change, lose their history or be purged.
CREATE TABLE published_contents (
    hash BLOB NOT NULL UNIQUE,
    text TEXT NOT NULL
) STRICT;

CREATE TABLE app_version_files (
    app        BLOB    NOT NULL,
    version    INTEGER NOT NULL,
    path       TEXT    NOT NULL,
    path_key   TEXT    NOT NULL, -- what paths are sorted by
    hash       BLOB    NOT NULL REFERENCES published_contents (hash),
    characters INTEGER NOT NULL,
    PRIMARY KEY (app, version, path),
    FOREIGN KEY (app, version) REFERENCES app_versions (app, version)
) STRICT, WITHOUT ROWID;

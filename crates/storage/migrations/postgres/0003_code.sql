-- Code: apps with their published versions, and the space that is everybody's. Files are items; their paths and functions
-- have had columns from the start.

-- What nobody in particular owns: global workflows and modules. Its id is the same in every store.
INSERT INTO spaces (id, name) VALUES ('00000000-0000-7000-8000-000000000001', 'global');

-- Files that belong together; `spaces.app` says which space they are in.
CREATE TABLE apps (
    id                uuid   PRIMARY KEY,
    slug              text   COLLATE "C" NOT NULL,
    name              text   NOT NULL,
    description       text,
    organization      uuid   REFERENCES organizations, -- NULL is everybody's
    navigation        text,                            -- JSON
    published_version bigint,
    created_at        bigint NOT NULL,
    updated_at        bigint NOT NULL
);

-- What two apps of an organization cannot share; that of no organization counts as one.
CREATE UNIQUE INDEX apps_by_slug
    ON apps (slug, coalesce(organization, '00000000-0000-0000-0000-000000000000'::uuid));
-- Every request asks for the apps of an organization.
CREATE INDEX apps_of_organization ON apps (organization);

-- What was published. Nothing here changes once it is written.
CREATE TABLE app_versions (
    app          uuid   NOT NULL REFERENCES apps,
    version      bigint NOT NULL,
    published_at bigint NOT NULL,
    "user"       uuid   NOT NULL, -- who may be gone
    files        bigint NOT NULL,
    PRIMARY KEY (app, version)
);

-- The contents of published files, each once however many versions have it. They are copies: the items that they came
-- from may change, lose their history or be purged.
CREATE TABLE published_contents (
    hash bytea PRIMARY KEY,
    text text  NOT NULL
);

CREATE TABLE app_version_files (
    app        uuid   NOT NULL,
    version    bigint NOT NULL,
    path       text   COLLATE "C" NOT NULL,
    path_key   text   COLLATE "C" NOT NULL, -- what paths are sorted by
    hash       bytea  NOT NULL REFERENCES published_contents,
    characters bigint NOT NULL,
    PRIMARY KEY (app, version, path),
    FOREIGN KEY (app, version) REFERENCES app_versions (app, version)
);

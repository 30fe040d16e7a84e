-- Work that follows from changes: webhooks and what they are told, summaries by a model, and the jobs of both.

-- Nothing has written to it so far. A job is now what there is to do about something, once, however often it is asked for.
DROP TABLE jobs;

CREATE TABLE jobs (
    task      TEXT    NOT NULL,
    subject   BLOB    NOT NULL,           -- the id of a webhook, or of an item
    wanted    INTEGER NOT NULL DEFAULT 1, -- how often it was asked for: more than whoever does it knew of means once more
    since     INTEGER NOT NULL,
    due_at    INTEGER NOT NULL,           -- not before; for one that is claimed, when the claim ends
    claim     BLOB,                       -- whose it is: another id for each claim, so that one that lost it cannot end it
    failures  INTEGER NOT NULL DEFAULT 0, -- in a row
    failure   TEXT,                       -- the last one
    failed_at INTEGER,                    -- when it was given up
    PRIMARY KEY (task, subject)
) STRICT, WITHOUT ROWID;

-- The next job to do.
CREATE INDEX jobs_by_time ON jobs (task, due_at) WHERE failed_at IS NULL;

-- Sorts of work that changes leave only as long as somebody does them.
CREATE TABLE tasks_done (
    task  TEXT    NOT NULL PRIMARY KEY,
    until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Addresses that are told what happens in a space.
CREATE TABLE webhooks (
    id           BLOB    NOT NULL PRIMARY KEY,
    space        BLOB    NOT NULL REFERENCES spaces (id),
    user         BLOB    NOT NULL REFERENCES users (id),
    url          TEXT    NOT NULL,
    secret       TEXT    NOT NULL, -- signs what it is told, so that it cannot be kept as a hash
    kinds        TEXT,             -- JSON; NULL is all
    created_at   INTEGER NOT NULL,
    started_at   INTEGER NOT NULL,
    delivered_at INTEGER,          -- the last success
    stopped_at   INTEGER,          -- it is told nothing any more
    stop_reason  TEXT
) STRICT, WITHOUT ROWID;

-- Every change asks for those of its space.
CREATE INDEX webhooks_of_space ON webhooks (space) WHERE stopped_at IS NULL;
CREATE INDEX webhooks_of_user ON webhooks (user, created_at);

-- What webhooks are to be told, and were. The event is a copy: events may be forgotten earlier.
CREATE TABLE deliveries (
    number         INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook        BLOB    NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    space          BLOB    NOT NULL,
    event_number   INTEGER NOT NULL,
    event          TEXT    NOT NULL,
    item           BLOB    NOT NULL,
    kind           TEXT    NOT NULL,
    version        INTEGER NOT NULL,
    changed_fields TEXT    NOT NULL, -- JSON
    source         TEXT    NOT NULL,
    at             INTEGER NOT NULL,
    state          TEXT    NOT NULL DEFAULT 'pending',
    due_at         INTEGER NOT NULL DEFAULT 0, -- 0 is in its turn; later once it was set aside
    attempts       INTEGER NOT NULL DEFAULT 0,
    tried_at       INTEGER,
    microseconds   INTEGER, -- that the last attempt took
    status         INTEGER, -- of the answer
    failure        TEXT
) STRICT;

CREATE INDEX deliveries_to_do ON deliveries (webhook, due_at, number) WHERE state = 'pending';
CREATE INDEX deliveries_of_webhook ON deliveries (webhook, number);
CREATE INDEX deliveries_given_up ON deliveries (webhook) WHERE state = 'given_up';
-- What is forgotten.
CREATE INDEX deliveries_by_time ON deliveries (at) WHERE state <> 'pending';

-- What a model said about items.
CREATE TABLE enrichments (
    item    INTEGER NOT NULL PRIMARY KEY REFERENCES items (number) ON DELETE CASCADE,
    version INTEGER NOT NULL, -- that it read
    summary TEXT    NOT NULL,
    tags    TEXT    NOT NULL, -- JSON
    model   TEXT    NOT NULL,
    at      INTEGER NOT NULL
) STRICT;

-- Work that follows from changes: webhooks and what they are told, summaries by a model, and the jobs of both.

-- Nothing has written to it so far. A job is now what there is to do about something, once, however often it is asked for.
DROP TABLE jobs;

CREATE TABLE jobs (
    task      text   COLLATE "C" NOT NULL,
    subject   uuid   NOT NULL,           -- the id of a webhook, or of an item
    wanted    bigint NOT NULL DEFAULT 1, -- how often it was asked for: more than whoever does it knew of means once more
    since     bigint NOT NULL,
    due_at    bigint NOT NULL,           -- not before; for one that is claimed, when the claim ends
    claim     uuid,                      -- whose it is: another id for each claim, so that one that lost it cannot end it
    failures  bigint NOT NULL DEFAULT 0, -- in a row
    failure   text,                      -- the last one
    failed_at bigint,                    -- when it was given up
    PRIMARY KEY (task, subject)
);

-- The next job to do.
CREATE INDEX jobs_by_time ON jobs (task, due_at) WHERE failed_at IS NULL;

-- Sorts of work that changes leave only as long as somebody does them.
CREATE TABLE tasks_done (
    task  text   COLLATE "C" PRIMARY KEY,
    until bigint NOT NULL
);

-- Addresses that are told what happens in a space.
CREATE TABLE webhooks (
    id           uuid   PRIMARY KEY,
    space        uuid   NOT NULL REFERENCES spaces,
    "user"       uuid   NOT NULL REFERENCES users,
    url          text   NOT NULL,
    secret       text   NOT NULL, -- signs what it is told, so that it cannot be kept as a hash
    kinds        text,            -- JSON; NULL is all
    created_at   bigint NOT NULL,
    started_at   bigint NOT NULL,
    delivered_at bigint,          -- the last success
    stopped_at   bigint,          -- it is told nothing any more
    stop_reason  text
);

-- Every change asks for those of its space.
CREATE INDEX webhooks_of_space ON webhooks (space) WHERE stopped_at IS NULL;
CREATE INDEX webhooks_of_user ON webhooks ("user", created_at);

-- What webhooks are to be told, and were. The event is a copy: events may be forgotten earlier.
CREATE TABLE deliveries (
    number         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    webhook        uuid   NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    space          uuid   NOT NULL,
    event_number   bigint NOT NULL,
    event          text   NOT NULL,
    item           uuid   NOT NULL,
    kind           text   NOT NULL,
    version        bigint NOT NULL,
    changed_fields text   NOT NULL, -- JSON
    source         text   NOT NULL,
    at             bigint NOT NULL,
    state          text   NOT NULL DEFAULT 'pending',
    due_at         bigint NOT NULL DEFAULT 0, -- 0 is in its turn; later once it was set aside
    attempts       bigint NOT NULL DEFAULT 0,
    tried_at       bigint,
    microseconds   bigint, -- that the last attempt took
    status         bigint, -- of the answer
    failure        text
);

CREATE INDEX deliveries_to_do ON deliveries (webhook, due_at, number) WHERE state = 'pending';
CREATE INDEX deliveries_of_webhook ON deliveries (webhook, number);
CREATE INDEX deliveries_given_up ON deliveries (webhook) WHERE state = 'given_up';
-- What is forgotten.
CREATE INDEX deliveries_by_time ON deliveries (at) WHERE state <> 'pending';

-- What a model said about items.
CREATE TABLE enrichments (
    item    uuid   PRIMARY KEY REFERENCES items ON DELETE CASCADE,
    version bigint NOT NULL, -- that it read
    summary text   NOT NULL,
    tags    text   NOT NULL, -- JSON
    model   text   NOT NULL,
    at      bigint NOT NULL
);

-- Jobs know their user, so that users take turns.

-- That of the webhook, or who made the change that asks for a summary. Of jobs that nobody is known for: none.
ALTER TABLE jobs ADD COLUMN user BLOB NOT NULL DEFAULT x'00000000000000000000000000000000';

UPDATE jobs SET user = webhooks.user FROM webhooks
WHERE jobs.task = 'deliver' AND jobs.subject = webhooks.id;

UPDATE jobs SET user = spaces.user FROM items JOIN spaces ON spaces.id = items.space
WHERE jobs.task = 'enrich' AND jobs.subject = items.id AND spaces.user IS NOT NULL;

-- The users that have jobs, and of each the next job to do.
CREATE INDEX jobs_by_user ON jobs (task, user, due_at) WHERE failed_at IS NULL;

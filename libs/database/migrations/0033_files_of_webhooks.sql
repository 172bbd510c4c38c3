-- Files that came with a webhook: the run that they wait for, until it is stored. When the process ends in between, the row of
-- the run decides whether they are kept.

ALTER TABLE files ADD COLUMN awaits_run uuid;

CREATE INDEX files_awaiting ON files (awaits_run, created_at) WHERE awaits_run IS NOT NULL;

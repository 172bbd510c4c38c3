-- The HTTP request that asked for a run, of runs that have a row before they start: log lines about their ends name it.

ALTER TABLE runs ADD COLUMN request_id text;

-- The API key that asked for a run, of runs that have a row before they start. A list selects by it beside what has an index.
ALTER TABLE runs ADD COLUMN key_id uuid;

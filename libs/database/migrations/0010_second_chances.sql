-- What failed may be tried again: by its flow's own rule, or because somebody asked for it.

ALTER TABLE runs
  -- The run that this one replays.
  ADD COLUMN replay_of uuid,
  -- The flow's rule when the run was accepted, as JSON text; null: none.
  ADD COLUMN retry text,
  -- Attempts that failed and were granted another one.
  ADD COLUMN retries integer NOT NULL DEFAULT 0;

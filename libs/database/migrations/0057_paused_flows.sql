-- A paused flow starts no runs; its background runs stay in the backlog. Null: the flow is not paused.
ALTER TABLE flows ADD COLUMN pause_reason text;
CREATE INDEX flows_paused ON flows (id) WHERE pause_reason IS NOT NULL;

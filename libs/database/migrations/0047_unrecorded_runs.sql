-- How many runs of a flow left no row, by minute.
CREATE TABLE unrecorded_runs (
  flow_id uuid NOT NULL REFERENCES flows (id) ON DELETE CASCADE,
  minute timestamptz NOT NULL,
  runs bigint NOT NULL,
  PRIMARY KEY (flow_id, minute)
) WITH (fillfactor = 50);

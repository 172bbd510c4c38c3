-- How many runs of a flow left no row, by hour.
CREATE TABLE unrecorded_runs (
  flow_id uuid NOT NULL REFERENCES flows (id) ON DELETE CASCADE,
  hour timestamptz NOT NULL,
  runs bigint NOT NULL,
  PRIMARY KEY (flow_id, hour)
) WITH (fillfactor = 50);

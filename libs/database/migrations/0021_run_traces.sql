-- What each vertex of a run did, for failed and sampled runs; and what the models of a run used.
--
-- One row a run. The foreign key deletes it with its run, whichever release deletes that.

CREATE TABLE run_traces (
  run_id uuid PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  flow_id uuid NOT NULL,
  user_id uuid NOT NULL,
  -- JSON, bounded by its writer.
  body text NOT NULL
);

-- Lists by flow, newest first: ids of runs are in the order of time.
CREATE INDEX run_traces_by_flow ON run_traces (flow_id, run_id);

-- JSON: calls, tokens and cost by model. Null for runs that called no model.
ALTER TABLE runs ADD COLUMN usage text;

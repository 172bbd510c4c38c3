-- Runs that are dead and of which the broker has not been told yet. A row of its own beside the run: the runs' own
-- indexes do not know their states.

CREATE TABLE dead_letters (
  run_id uuid PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  -- When somebody is to try next.
  due_at timestamptz NOT NULL
);

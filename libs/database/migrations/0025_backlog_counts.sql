-- The newest count of the background runs that no executor has begun, with the state of the lanes, in one row: one process
-- counts, all read. Unlogged, since it is counted anew within seconds.

CREATE UNLOGGED TABLE backlog_counts (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  counted_at timestamptz NOT NULL,
  -- How long counting took.
  milliseconds integer NOT NULL,
  pools jsonb NOT NULL,
  -- Null until the lanes have been read.
  lanes jsonb
);

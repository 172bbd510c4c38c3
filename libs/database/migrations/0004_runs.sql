-- Runs: the truth about each, and the outbox of those that must still reach a broker.
--
-- A background run is written four times: accepted, queued, claimed, ended. The first three steps change no indexed
-- column, so that they stay on their page (heap-only updates); that is why no index mentions the status. No foreign
-- keys either: checking them would lock the flow's row in every batch.

CREATE TABLE runs (
  id uuid PRIMARY KEY,
  flow_id uuid NOT NULL,
  user_id uuid NOT NULL,
  flow_version integer NOT NULL,
  attempt integer NOT NULL DEFAULT 0,
  -- Attempts that a drain or a lost connection ended: they do not count towards maximum_attempts.
  free_attempts integer NOT NULL DEFAULT 0,
  maximum_attempts integer NOT NULL,
  limit_milliseconds integer NOT NULL,
  accepted_at timestamptz NOT NULL,
  queued_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  lease_until timestamptz,
  -- When the sweeper looks at the row next; null once the run has ended.
  next_sweep_at timestamptz,
  sweeps integer NOT NULL DEFAULT 0,
  -- Accepted before it ran: the sweeper brings it to its end. Otherwise its caller's deadline is its end.
  durable boolean NOT NULL,
  cancel_requested boolean NOT NULL DEFAULT false,
  status text NOT NULL CHECK (
    status IN ('accepted', 'queued', 'running', 'succeeded', 'failed', 'cancelled', 'timed_out', 'dead')
  ),
  lane text NOT NULL CHECK (lane IN ('interactive', 'background')),
  origin text NOT NULL CHECK (origin IN ('run', 'webhook', 'advanced')),
  pool text NOT NULL,
  worker text,
  session_id text NOT NULL,
  dedupe_key text,
  traceparent text,
  -- JSON texts, as they were written: an answer read back is the same, byte for byte.
  request text,
  result text,
  failure text
) WITH (
  fillfactor = 70,
  -- Rows of up to a page stay whole: compressing each answer costs more than it saves.
  toast_tuple_target = 8160,
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.05
);

-- Lists (a user's list goes over the user's flows) and the deletion of a flow.
CREATE INDEX runs_by_flow ON runs (flow_id, accepted_at);
CREATE UNIQUE INDEX runs_dedupe_key ON runs (flow_id, dedupe_key) WHERE dedupe_key IS NOT NULL;
CREATE INDEX runs_to_sweep ON runs (next_sweep_at) WHERE next_sweep_at IS NOT NULL;

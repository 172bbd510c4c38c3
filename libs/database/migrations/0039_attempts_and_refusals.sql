-- What is kept of the attempts of a run that has several, and of the deliveries that a webhook refused.

-- A run with one attempt has no rows here: its attempt is the row of the run.
CREATE TABLE run_attempts (
  run_id uuid NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  attempt integer NOT NULL,
  -- Null when the executor of the attempt is not known.
  worker text,
  -- Null for a first attempt without a row.
  started_at timestamptz,
  -- Null while the attempt goes on, and for the attempt that ended the run.
  ended_at timestamptz,
  -- Why a further attempt was needed; null as above.
  outcome text CHECK (outcome IN ('failed', 'given_back', 'handed_off', 'executor_lost', 'redelivered')),
  -- JSON of a RunFailure; null unless the attempt failed.
  failure text,
  PRIMARY KEY (run_id, attempt)
);

-- Without bodies. Equal refusals that arrive together share a row. The newest ones of each flow are kept.
CREATE TABLE refused_deliveries (
  id uuid PRIMARY KEY,
  flow_id uuid NOT NULL REFERENCES flows (id) ON DELETE CASCADE,
  -- Of the last refusal.
  refused_at timestamptz NOT NULL,
  count integer NOT NULL,
  code text NOT NULL,
  status integer NOT NULL,
  reason text NOT NULL,
  -- Of the last refusal.
  request_id text,
  client_address text
);

CREATE INDEX refused_deliveries_by_flow ON refused_deliveries (flow_id, refused_at);
CREATE INDEX refused_deliveries_by_time ON refused_deliveries (refused_at);

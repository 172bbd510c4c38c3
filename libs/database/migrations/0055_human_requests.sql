-- Runs that wait until a person has answered.

-- Not validated: the stored rows comply with the narrower constraint before.
ALTER TABLE runs DROP CONSTRAINT runs_status_check;
ALTER TABLE runs ADD CONSTRAINT runs_status_check CHECK (
  status IN ('accepted', 'queued', 'running', 'suspended', 'succeeded', 'failed', 'cancelled', 'timed_out', 'dead')
) NOT VALID;
ALTER TABLE run_attempts DROP CONSTRAINT run_attempts_outcome_check;
ALTER TABLE run_attempts ADD CONSTRAINT run_attempts_outcome_check CHECK (
  outcome IN ('failed', 'given_back', 'handed_off', 'executor_lost', 'redelivered', 'suspended')
) NOT VALID;

-- What the next attempt of a suspended run needs; deleted when the run ends.
CREATE TABLE run_checkpoints (
  run_id uuid PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  -- The results of the vertices that have ended, as JSON; encrypted.
  results text NOT NULL
);

CREATE TABLE human_requests (
  run_id uuid NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  request_id text NOT NULL,
  flow_id uuid NOT NULL,
  -- JSON of a HumanRequest; encrypted.
  request text NOT NULL,
  -- The decision that is taken at due_at; null: the run times out then.
  fallback text,
  paused_at timestamptz NOT NULL DEFAULT now(),
  -- At most 90 days after paused_at.
  due_at timestamptz,
  -- Null while the request waits.
  decided_at timestamptz,
  -- JSON of a HumanDecision; encrypted.
  decision text,
  -- The id of the API key that answered; null for the fallback.
  decided_by text
);

-- By digest, because an id can be longer than an index entry can be.
CREATE UNIQUE INDEX human_requests_id ON human_requests (run_id, md5(request_id));
CREATE INDEX human_requests_open ON human_requests (flow_id, paused_at) WHERE decided_at IS NULL;
CREATE INDEX human_requests_due ON human_requests (due_at) WHERE decided_at IS NULL;

-- Callbacks: reports of the ends of runs, stored with the end and delivered later.

-- Where the end of this run is reported, as JSON text; the callbacks of its flow are in the flow's settings.
ALTER TABLE runs ADD COLUMN callback text;

CREATE TABLE callback_deliveries (
  -- The `webhook-id` of every attempt.
  id uuid PRIMARY KEY,
  run_id uuid NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  flow_id uuid NOT NULL,
  user_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('finished', 'failed', 'dead', 'cancelled')),
  url text NOT NULL,
  -- The user and the origin of the address, which share a limit of connections and a circuit breaker.
  target text COLLATE "C" NOT NULL,
  -- Names of variables, as a JSON array.
  secrets text NOT NULL,
  has_result boolean NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  -- Attempts before the last replay: pauses grow from there.
  attempts_before_replay integer NOT NULL DEFAULT 0,
  -- When the next attempt is made, or taken over from a process that ended; null once delivered or dead.
  due_at timestamptz,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  delivered_at timestamptz
);

CREATE INDEX callback_deliveries_by_run ON callback_deliveries (run_id);
CREATE INDEX callback_deliveries_newest ON callback_deliveries (user_id, created_at, id);
CREATE INDEX callback_deliveries_due ON callback_deliveries (target, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX callback_deliveries_expiring ON callback_deliveries (expires_at) WHERE due_at IS NOT NULL;

-- The log of attempts that ended. An attempt whose process ended has no row.
CREATE TABLE callback_attempts (
  delivery_id uuid NOT NULL REFERENCES callback_deliveries (id) ON DELETE CASCADE,
  number integer NOT NULL,
  at timestamptz NOT NULL,
  milliseconds integer NOT NULL,
  -- The status of the answer; null without one.
  status integer,
  -- Why the attempt failed; null when it did not.
  error text,
  -- The beginning of the answer's body.
  answer text,
  PRIMARY KEY (delivery_id, number)
);

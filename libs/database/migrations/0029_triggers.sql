-- Triggers, which start runs of their flow, and the ledger of their events.

CREATE TABLE triggers (
  id uuid PRIMARY KEY,
  flow_id uuid NOT NULL REFERENCES flows (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('inbound_webhook', 'schedule')),
  -- The node of the flow that the trigger belongs to; null for one that was created through the API.
  node_id text,
  config json NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'active', 'paused')),
  session_policy text NOT NULL CHECK (session_policy IN ('per_event', 'shared')),
  concurrency_limit integer NOT NULL,
  max_attempts integer NOT NULL,
  -- Null: events run the newest version.
  flow_version integer,
  -- Schedules only: the occurrence that the schedule waits for, and when it fires, which jitter delays.
  next_occurrence_at timestamptz,
  next_fire_at timestamptz,
  last_fired_at timestamptz,
  last_error text,
  -- The address of an inbound webhook, and the secret of its signatures, encrypted by the service.
  public_id text,
  encrypted_secret text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX triggers_by_flow ON triggers (flow_id, created_at, id);
CREATE INDEX triggers_by_user ON triggers (user_id, created_at, id);
CREATE UNIQUE INDEX triggers_public_id ON triggers (public_id) WHERE public_id IS NOT NULL;

-- One row per event, stored with its run and deleted with it. The state of an event is that of its run.
CREATE TABLE trigger_events (
  id uuid PRIMARY KEY,
  trigger_id uuid NOT NULL REFERENCES triggers (id) ON DELETE CASCADE,
  run_id uuid NOT NULL UNIQUE REFERENCES runs (id) ON DELETE CASCADE,
  -- For a schedule it contains the time of the occurrence, so that no occurrence has two runs.
  dedupe_key text NOT NULL,
  -- JSON text, byte for byte as it was received.
  payload text NOT NULL,
  replay_of uuid,
  created_at timestamptz NOT NULL
);

CREATE UNIQUE INDEX trigger_events_dedupe_key ON trigger_events (trigger_id, dedupe_key);
CREATE INDEX trigger_events_newest ON trigger_events (trigger_id, created_at, id);

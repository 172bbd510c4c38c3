-- Sources: triggers of kind rabbitmq, which start runs with the messages of a queue of the user's own broker.

ALTER TABLE triggers DROP CONSTRAINT triggers_kind_check;
ALTER TABLE triggers ADD CONSTRAINT triggers_kind_check CHECK (kind IN ('inbound_webhook', 'schedule', 'rabbitmq'));

CREATE INDEX triggers_sources ON triggers (id) WHERE kind = 'rabbitmq' AND state = 'active';

-- Which process consumes from the queue of a trigger, and how that goes. Rewritten every few seconds.
CREATE TABLE queue_sources (
  trigger_id uuid PRIMARY KEY REFERENCES triggers (id) ON DELETE CASCADE,
  owner text NOT NULL,
  -- Another process takes the source over from then on.
  lease_until timestamptz NOT NULL,
  state text NOT NULL CHECK (state IN ('connecting', 'consuming', 'backlog_full', 'failing')),
  state_at timestamptz NOT NULL,
  -- The last failure; it stays when the source works again.
  error text,
  error_at timestamptz
) WITH (fillfactor = 50);

-- The messages that were rejected, the newest of each trigger: no run was stored for them.
CREATE TABLE queue_rejections (
  id uuid PRIMARY KEY,
  trigger_id uuid NOT NULL REFERENCES triggers (id) ON DELETE CASCADE,
  reason text NOT NULL CHECK (reason IN ('too_large', 'undecodable', 'refused')),
  detail text NOT NULL,
  message_id text,
  bytes bigint NOT NULL,
  -- The beginning of the body as text; null for a body that was too large.
  excerpt text,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX queue_rejections_newest ON queue_rejections (trigger_id, created_at, id);

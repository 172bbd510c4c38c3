-- Alerts of flows: a rule of the settings is broken from one time to another.
CREATE TABLE flow_alerts (
  id uuid PRIMARY KEY,
  flow_id uuid NOT NULL REFERENCES flows (id) ON DELETE CASCADE,
  user_id uuid NOT NULL,
  -- The rule as it was when the alert began: its name, and JSON of all of it.
  rule text NOT NULL,
  condition json NOT NULL,
  began_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
);

CREATE UNIQUE INDEX flow_alerts_open ON flow_alerts (flow_id, rule) WHERE ended_at IS NULL;
CREATE INDEX flow_alerts_ended ON flow_alerts (ended_at) WHERE ended_at IS NOT NULL;

-- What the runs of a flow with rules had used in the hour of `at`: usage_hours at that time. No foreign key: it would lock each
-- flow every minute.
CREATE TABLE alert_samples (
  flow_id uuid NOT NULL,
  at timestamptz NOT NULL,
  runs bigint NOT NULL,
  failures bigint NOT NULL,
  cost float8 NOT NULL,
  waiting_milliseconds bigint NOT NULL,
  running_milliseconds bigint NOT NULL,
  PRIMARY KEY (flow_id, at)
);
CREATE INDEX alert_samples_by_age ON alert_samples (at);

-- One row: when the rules of all flows were evaluated last. The process that changes it has the turn.
CREATE TABLE alert_turn (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  at timestamptz NOT NULL
);
INSERT INTO alert_turn (at) VALUES ('-infinity');

-- Few flows have rules. Names are stored without escapes.
CREATE INDEX flows_with_alerts ON flows (id) WHERE position('"alerts"' IN settings::text) > 0;

-- Callbacks about alerts.
ALTER TABLE callback_deliveries ADD COLUMN alert_id uuid REFERENCES flow_alerts (id) ON DELETE CASCADE;
-- What the report says; null for other kinds.
ALTER TABLE callback_deliveries ADD COLUMN alert json;
CREATE INDEX callback_deliveries_by_alert ON callback_deliveries (alert_id) WHERE alert_id IS NOT NULL;
-- Not validated: the stored rows comply with the narrower constraint before.
ALTER TABLE callback_deliveries DROP CONSTRAINT callback_deliveries_kind_check;
ALTER TABLE callback_deliveries ADD CONSTRAINT callback_deliveries_kind_check CHECK (
  kind IN ('finished', 'failed', 'dead', 'cancelled', 'waiting', 'budget', 'alert')
) NOT VALID;

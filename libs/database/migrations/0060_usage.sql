-- What ended runs used, by hour. The rows with an empty model count runs; those with a model count its calls. No foreign key to
-- flows and keys: what they used is known after they are deleted.
CREATE TABLE usage_hours (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  hour timestamptz NOT NULL,
  flow_id uuid NOT NULL,
  -- All zeros for a run without a key, such as that of a schedule or a signed webhook.
  key_id uuid NOT NULL,
  pool text NOT NULL,
  provider text NOT NULL,
  model text NOT NULL,
  runs bigint NOT NULL,
  failures bigint NOT NULL,
  calls bigint NOT NULL,
  input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  unpriced_calls bigint NOT NULL,
  cost float8 NOT NULL,
  waiting_milliseconds bigint NOT NULL,
  running_milliseconds bigint NOT NULL,
  PRIMARY KEY (user_id, hour, flow_id, key_id, pool, provider, model)
) WITH (fillfactor = 70);

-- For all users, and for the deletion of old rows.
CREATE INDEX usage_hours_by_hour ON usage_hours (hour);

-- What the rule measured when its alert began; null for an alert that began before this column.
ALTER TABLE flow_alerts ADD COLUMN value float8;

-- For the list of the alerts of a user that have not ended. It has one entry for each of them.
CREATE INDEX flow_alerts_open_of_user ON flow_alerts (user_id, began_at) WHERE ended_at IS NULL;

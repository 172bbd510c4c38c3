-- Callbacks about runs that wait for a person.

-- Not validated: the stored rows comply with the narrower constraint before.
ALTER TABLE callback_deliveries DROP CONSTRAINT callback_deliveries_kind_check;
ALTER TABLE callback_deliveries ADD CONSTRAINT callback_deliveries_kind_check CHECK (
  kind IN ('finished', 'failed', 'dead', 'cancelled', 'waiting')
) NOT VALID;

-- The id of the request that a report of kind `waiting` is about; null for other kinds.
ALTER TABLE callback_deliveries ADD COLUMN human_request text;

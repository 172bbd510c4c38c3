-- The flows that name who answers what their runs ask.
CREATE INDEX flows_answered_by ON flows (id) WHERE position('"answeredBy"' IN settings::text) > 0;

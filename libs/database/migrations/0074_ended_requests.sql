-- Requests for human input whose end their messages do not show yet. Without a foreign key: a run that is deleted ends its requests.
CREATE TABLE ended_requests (
  run_id uuid NOT NULL,
  request_id text NOT NULL
);

-- A trigger, because requests end with their run in many ways.
CREATE FUNCTION note_ended_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ended_requests (run_id, request_id) VALUES (OLD.run_id, OLD.request_id);
  RETURN NULL;
END
$$;

CREATE TRIGGER human_requests_decided AFTER UPDATE OF decided_at ON human_requests
  FOR EACH ROW WHEN (OLD.decided_at IS NULL AND NEW.decided_at IS NOT NULL) EXECUTE FUNCTION note_ended_request();

CREATE TRIGGER human_requests_withdrawn AFTER DELETE ON human_requests
  FOR EACH ROW WHEN (OLD.decided_at IS NULL) EXECUTE FUNCTION note_ended_request();

-- The archive of the sessions' messages.

CREATE TABLE messages (
  id uuid PRIMARY KEY,
  flow_id uuid NOT NULL,
  user_id uuid NOT NULL,
  run_id uuid,
  -- Order of insertion: settles what the same millisecond leaves open.
  position bigint GENERATED ALWAYS AS IDENTITY,
  timestamp timestamptz NOT NULL,
  error boolean NOT NULL DEFAULT false,
  session_id text NOT NULL,
  context_id text NOT NULL,
  sender text NOT NULL,
  sender_name text NOT NULL,
  -- JSON text of everything else, the message's text included (which may hold what a text column refuses).
  body text NOT NULL
) WITH (toast_tuple_target = 8160);

-- By hash, because a session id may be longer than an index entry can be.
CREATE INDEX messages_by_session
  ON messages (flow_id, hashtextextended(session_id, 0), timestamp, position);

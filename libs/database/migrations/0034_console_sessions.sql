-- Sessions of the web console. A session has the rights of the API key that it was created with, and ends with it.

CREATE TABLE console_sessions (
  id uuid PRIMARY KEY,
  -- SHA-256 of the token in the cookie, hexadecimal.
  token_hash text NOT NULL UNIQUE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  key_id uuid NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  user_agent text,
  client_address text
);

CREATE INDEX console_sessions_by_user ON console_sessions (user_id, created_at);
CREATE INDEX console_sessions_by_key ON console_sessions (key_id);

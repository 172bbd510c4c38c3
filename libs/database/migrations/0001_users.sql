-- Who may call, and with which keys.

CREATE TABLE users (
  id uuid PRIMARY KEY,
  username text NOT NULL UNIQUE,
  is_admin boolean NOT NULL DEFAULT false,
  -- The user's default project: clients of Langflow expect a folder on every flow.
  folder_id uuid NOT NULL DEFAULT gen_random_uuid(),
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Counting uses rewrites rows all the time; room on the page and no index on what changes keep that cheap.
CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name text,
  -- The first characters of the key, to tell keys apart; the key itself is nowhere.
  prefix text NOT NULL,
  -- SHA-256 of the key, hexadecimal.
  key_hash text NOT NULL UNIQUE,
  scopes text[] NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  total_uses bigint NOT NULL DEFAULT 0,
  expires_at timestamptz
) WITH (fillfactor = 50);

CREATE INDEX api_keys_by_user ON api_keys (user_id);

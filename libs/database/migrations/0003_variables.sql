-- Global variables, encrypted by the service.

CREATE TABLE variables (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name text NOT NULL,
  type text,
  encrypted_value text NOT NULL,
  default_fields text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX variables_name ON variables (user_id, md5(name));

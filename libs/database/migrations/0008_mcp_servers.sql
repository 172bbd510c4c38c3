-- MCP servers that users' flows name. How one is reached may hold keys: encrypted by the service.

CREATE TABLE mcp_servers (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name text NOT NULL,
  encrypted_config text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- By digest, because a name may be longer than an index entry can be.
CREATE UNIQUE INDEX mcp_servers_name ON mcp_servers (user_id, md5(name));

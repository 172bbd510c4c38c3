-- Flows and every version of their documents.

CREATE TABLE flows (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name text NOT NULL,
  description text,
  endpoint_name text,
  -- The newest row of flow_versions.
  version integer NOT NULL,
  -- json, here and below, keeps the order of members and any escape; jsonb would refuse some texts.
  settings json NOT NULL,
  -- Langflow's further members, given back as they came.
  attributes json NOT NULL,
  is_component boolean NOT NULL DEFAULT false,
  webhook boolean NOT NULL DEFAULT false,
  folder_id uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- By digest, because a name may be longer than an index entry can be.
CREATE UNIQUE INDEX flows_name ON flows (user_id, md5(name));
CREATE UNIQUE INDEX flows_endpoint_name ON flows (md5(endpoint_name), user_id) WHERE endpoint_name IS NOT NULL;

-- Old versions stay: a run that waits was accepted for one of them.
CREATE TABLE flow_versions (
  flow_id uuid NOT NULL REFERENCES flows (id) ON DELETE CASCADE,
  version integer NOT NULL,
  -- The order of a template's fields matters.
  document json NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (flow_id, version)
);

-- Uploaded files. Their content is here, too, so that every gateway and every executor reads the same.

CREATE TABLE files (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Null for the files of a user that belong to no flow.
  flow_id uuid REFERENCES flows (id) ON DELETE CASCADE,
  -- The last part of the path is name and extension together. All three are empty until the content is whole.
  name text NOT NULL DEFAULT '',
  extension text NOT NULL DEFAULT '',
  path text NOT NULL DEFAULT '',
  size_bytes bigint NOT NULL DEFAULT 0,
  complete boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- By digest, because a path may be longer than an index entry can be.
CREATE UNIQUE INDEX files_path ON files (user_id, md5(path)) WHERE complete;
CREATE INDEX files_by_flow ON files (flow_id) WHERE flow_id IS NOT NULL;
CREATE INDEX files_incomplete ON files (created_at) WHERE NOT complete;

CREATE TABLE file_chunks (
  file_id uuid NOT NULL REFERENCES files (id) ON DELETE CASCADE,
  -- Counts from 0; every chunk but the last has the same size.
  position integer NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (file_id, position)
);

-- Uploads are mostly compressed already.
ALTER TABLE file_chunks ALTER COLUMN content SET STORAGE EXTERNAL;

-- The Python texts that authors wrote into flows, each by the SHA-256 of its UTF-8, and the decision of an admin whether
-- it can run. A text that an admin decided on before any flow contained it has neither type nor text.

CREATE TABLE author_code (
  sha256 text PRIMARY KEY CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  status text NOT NULL CHECK (status IN ('waiting', 'approved', 'refused')),
  component_type text,
  code text,
  submitted_by uuid REFERENCES users (id) ON DELETE SET NULL,
  submitted_at timestamptz,
  decided_by uuid REFERENCES users (id) ON DELETE SET NULL,
  decided_at timestamptz
);

CREATE INDEX author_code_status ON author_code (status, submitted_at);
CREATE INDEX author_code_waiting ON author_code (submitted_by) WHERE status = 'waiting';

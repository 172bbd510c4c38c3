-- Who may use a project of another user, and how far. A user is a member of at most one project with an id, since the id alone names it.
CREATE TABLE project_members (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  project_id uuid NOT NULL,
  owner_id uuid NOT NULL,
  role text NOT NULL CHECK (role IN ('viewer', 'operator', 'editor', 'owner')),
  -- Whether a viewer sees inputs, outputs and messages.
  payloads boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, project_id),
  FOREIGN KEY (owner_id, project_id) REFERENCES projects (user_id, id) ON DELETE CASCADE
);

CREATE INDEX project_members_of ON project_members (owner_id, project_id);

-- Projects of users, which are Langflow's folders. Each user has a default one (`users.folder_id`), and each flow is in one.

CREATE TABLE projects (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Unique for a user only: flows of two users can come with the folder of one export.
  id uuid NOT NULL,
  name text NOT NULL,
  description text,
  -- A project of the same user, or none; only shown.
  parent_id uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, id)
);

-- By digest, because a name may be longer than an index entry can be.
CREATE UNIQUE INDEX projects_name ON projects (user_id, md5(name));
CREATE INDEX flows_by_project ON flows (user_id, folder_id);

-- Creates the project with this id unless it exists: the default one under its name, another one under its id.
CREATE FUNCTION ensure_project(of_user uuid, project uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO projects (user_id, id, name, description)
    SELECT of_user, project, 'Starter Project', 'Manage your own flows. Download and upload projects.'
    FROM users WHERE users.id = of_user AND users.folder_id = project ON CONFLICT DO NOTHING;
  INSERT INTO projects (user_id, id, name) VALUES (of_user, project, 'Project ' || project) ON CONFLICT DO NOTHING;
END
$$;

CREATE FUNCTION ensure_default_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ensure_project(NEW.id, NEW.folder_id);
  RETURN NULL;
END
$$;

CREATE FUNCTION ensure_project_of_flow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ensure_project(NEW.user_id, NEW.folder_id);
  RETURN NULL;
END
$$;

-- Triggers, since services of the release before this table create users and name any folder.
CREATE TRIGGER users_default_project AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION ensure_default_project();
CREATE TRIGGER flows_project AFTER INSERT OR UPDATE OF folder_id ON flows
  FOR EACH ROW WHEN (NEW.folder_id IS NOT NULL) EXECUTE FUNCTION ensure_project_of_flow();

SELECT ensure_project(id, folder_id) FROM users ORDER BY created_at, id;
SELECT ensure_project(user_id, folder_id)
  FROM (SELECT DISTINCT user_id, folder_id FROM flows WHERE folder_id IS NOT NULL) AS named;

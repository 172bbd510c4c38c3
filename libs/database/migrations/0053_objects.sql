-- Contents of files in an S3-compatible store. The database decides: an object that no row names is deleted.

-- Null: the content is in file_chunks. Otherwise the key of its object, which is never written again.
ALTER TABLE files ADD COLUMN object_key text;
CREATE INDEX files_in_objects ON files (id) WHERE object_key IS NOT NULL;

-- One row, from the first object on: rows of migrations are in the image of a new data directory, which installations share. All
-- keys begin with the id of the installation, so that several ones can share a bucket.
CREATE TABLE object_store (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  installation uuid NOT NULL DEFAULT gen_random_uuid(),
  -- When a process began to look for objects that no row names.
  swept_at timestamptz NOT NULL DEFAULT now()
);

-- Objects that no row names any more. A row leaves when the store has deleted the object.
CREATE TABLE object_deletions (
  key text PRIMARY KEY,
  due_at timestamptz NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0
);

CREATE INDEX object_deletions_due ON object_deletions (due_at);

-- A trigger, because rows of files are also deleted with their flow or user.
CREATE FUNCTION delete_object_of_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO object_deletions (key) VALUES (OLD.object_key)
    ON CONFLICT (key) DO UPDATE SET due_at = now(), attempts = 0;
  RETURN NULL;
END
$$;

CREATE TRIGGER files_object_deleted AFTER DELETE ON files
  FOR EACH ROW WHEN (OLD.object_key IS NOT NULL) EXECUTE FUNCTION delete_object_of_file();

CREATE TRIGGER files_object_left AFTER UPDATE OF object_key ON files
  FOR EACH ROW WHEN (OLD.object_key IS NOT NULL AND OLD.object_key IS DISTINCT FROM NEW.object_key)
  EXECUTE FUNCTION delete_object_of_file();

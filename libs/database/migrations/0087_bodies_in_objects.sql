-- Large requests and results of ended runs in an S3-compatible store. The column then has a reference in place of the text:
-- `~@`, the key of the object, a blank and the number of its bytes. The object is what stood in the column.

-- The queue of what moves. A result is that of a run that succeeded; requests of other runs stay for replays, and sealed ones
-- for the rotation of keys.
CREATE INDEX runs_with_large_bodies ON runs (finished_at)
  WHERE octet_length(result) > 262144
    OR (result IS NOT NULL AND octet_length(request) > 262144 AND left(request, 11) <> '{"sealed":"');

-- The length comes first: it is known without the text, which has a place of its own when it is long.
CREATE INDEX runs_in_objects ON runs (id)
  WHERE (octet_length(result) < 300 AND left(result, 2) = '~@') OR (octet_length(request) < 300 AND left(request, 2) = '~@');

-- Until when one process moves bodies.
ALTER TABLE object_store ADD COLUMN moving_until timestamptz NOT NULL DEFAULT '-infinity';

CREATE OR REPLACE FUNCTION whole_text(stored text, run uuid, flow uuid, session text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  given text[];
BEGIN
  IF stored IS NULL OR left(stored, 1) <> '~' OR left(stored, 2) = '~@' THEN
    RETURN stored;
  END IF;
  given := string_to_array(stored, E'\n');
  RETURN (
    SELECT string_agg(
      piece.part || CASE piece.hole WHEN 0 THEN '' WHEN -1 THEN run::text WHEN -2 THEN flow::text WHEN -3 THEN session
        ELSE given[piece.hole + 1] END, '' ORDER BY piece.position)
    FROM text_templates, unnest(parts, holes) WITH ORDINALITY AS piece (part, hole, position)
    WHERE digest = substr(stored, 2, 8)
  );
END
$$;

-- A trigger, because runs are also deleted with their flow or user.
CREATE FUNCTION delete_objects_of_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO object_deletions (key)
    SELECT split_part(substr(body, 3), ' ', 1) FROM unnest(ARRAY[OLD.result, OLD.request]) AS body WHERE left(body, 2) = '~@'
    ON CONFLICT (key) DO UPDATE SET due_at = now(), attempts = 0;
  RETURN NULL;
END
$$;

CREATE TRIGGER runs_objects_deleted AFTER DELETE ON runs
  FOR EACH ROW WHEN ((octet_length(OLD.result) < 300 AND left(OLD.result, 2) = '~@')
    OR (octet_length(OLD.request) < 300 AND left(OLD.request, 2) = '~@'))
  EXECUTE FUNCTION delete_objects_of_run();

-- The shapes of JSON texts of `runs` and `messages`. A text that begins with `~` is the digest of a template and, a line each,
-- the values of its holes. Templates contain names of the interface only and are never deleted.
CREATE TABLE text_templates (
  digest text COLLATE "C" PRIMARY KEY,
  parts text[] NOT NULL,
  -- What follows each part: a value by its number, -1 for the run's id, -2 for the flow's, -3 for the session's, 0 for nothing.
  holes integer[] NOT NULL
);

-- Returns a stored text as it was written; null when its template is missing.
CREATE FUNCTION whole_text(stored text, run uuid, flow uuid, session text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  given text[];
BEGIN
  IF stored IS NULL OR left(stored, 1) <> '~' THEN
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

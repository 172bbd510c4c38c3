-- Reads JSON of one row in a statement over the rows of several users. PostgreSQL stores JSON with escapes of characters
-- that it has no text for (U+0000, half of a surrogate pair), and fails each statement that reads a member of it. Such a
-- character is read as U+FFFD; JSON that still cannot be read is null. Not for
-- parallel plans: before PostgreSQL 17 a block with exceptions fails in them.
CREATE FUNCTION readable_json(value text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL UNSAFE AS $$
DECLARE
  escaped text;
BEGIN
  BEGIN
    RETURN value::jsonb;
  EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    NULL;
  END;
  -- An escaped backslash is written as u005c first, so that every other backslash begins an escape.
  escaped := replace(replace(value, '\\', '\u005c'), '\u0000', '\ufffd');
  escaped := regexp_replace(escaped, '\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])', '\\ufffd', 'g');
  escaped := regexp_replace(escaped, '(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}', '\\ufffd', 'g');
  RETURN escaped::jsonb;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
  RETURN NULL;
END
$$;

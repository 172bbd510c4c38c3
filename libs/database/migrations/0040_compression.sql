-- Long texts are compressed with lz4 where the server has it: pglz takes several times the CPU time for a similar size.
-- Stored values stay as they are, and new ones are readable by every server with lz4.

DO $$
BEGIN
  IF EXISTS (
    SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)
  ) THEN
    ALTER TABLE runs
      ALTER COLUMN request SET COMPRESSION lz4,
      ALTER COLUMN result SET COMPRESSION lz4;
    ALTER TABLE messages ALTER COLUMN body SET COMPRESSION lz4;
    ALTER TABLE run_traces ALTER COLUMN body SET COMPRESSION lz4;
    ALTER TABLE run_effects ALTER COLUMN result SET COMPRESSION lz4;
  END IF;
END
$$;

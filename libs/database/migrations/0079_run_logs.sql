-- Warnings and errors that executors wrote about the attempts of a run. Most runs have none.
CREATE TABLE run_logs (
  run_id uuid PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  -- JSON objects, one a line, the first one first; ASCII, at most 65,536 characters.
  lines text NOT NULL
);

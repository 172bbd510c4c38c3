-- What durable runs have done outside of themselves, so that a later attempt does not do it again.

CREATE TABLE run_effects (
  run_id uuid NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  vertex_id text NOT NULL,
  -- Tells effects of one vertex apart.
  name text NOT NULL,
  -- Counts those of the same name, from 1.
  ordinal integer NOT NULL,
  -- The attempt that had it in hand last.
  attempt integer NOT NULL,
  tries integer NOT NULL DEFAULT 1,
  -- What came of it, as JSON; null until it is done.
  result text
);

-- By digest, because an id may be longer than an index entry can be.
CREATE UNIQUE INDEX run_effects_place ON run_effects (run_id, md5(vertex_id), md5(name), ordinal);

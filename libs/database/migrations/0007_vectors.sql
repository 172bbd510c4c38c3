-- Texts with the vectors that stand for them, for flows that used a vector store on the disk of their machine.

CREATE TABLE vector_collections (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name text NOT NULL,
  -- All vectors of a collection have as many numbers.
  dimensions integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- By digest, because a name may be longer than an index entry can be.
CREATE UNIQUE INDEX vector_collections_name ON vector_collections (user_id, md5(name));

CREATE TABLE vector_documents (
  collection_id uuid NOT NULL REFERENCES vector_collections (id) ON DELETE CASCADE,
  id text NOT NULL,
  -- The order of writing; what is written again keeps its place.
  position bigint GENERATED ALWAYS AS IDENTITY,
  content text NOT NULL,
  -- Not jsonb: the order of the members and the spelling of numbers are the author's.
  metadata json NOT NULL,
  -- Numbers of four bytes, little-endian: read many times, and never by the database itself.
  vector bytea NOT NULL,
  PRIMARY KEY (collection_id, id)
);

CREATE INDEX vector_documents_position ON vector_documents (collection_id, position);

-- Vectors do not compress.
ALTER TABLE vector_documents ALTER COLUMN vector SET STORAGE EXTERNAL;

-- What a user chose for a knowledge base, which is a collection: its embedding model and its columns. Null for a collection
-- that a flow created.
ALTER TABLE vector_collections ADD COLUMN settings json;
-- Unknown until the first vector is written.
ALTER TABLE vector_collections ALTER COLUMN dimensions DROP NOT NULL;

-- How far the deletion of old rows has come in each table that it reads block by block.
CREATE TABLE retention_passes (
  kind text PRIMARY KEY,
  next_block bigint NOT NULL DEFAULT 0,
  -- When the next block is read: at once during a pass, otherwise when the next pass begins.
  due_at timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);

INSERT INTO retention_passes (kind) VALUES ('messages'), ('vertexRecords'), ('files');

-- The versions of other flows in which a suspended run waits, each as "<flow id> <version>": they are not pruned.
ALTER TABLE run_checkpoints ADD COLUMN inner_versions text[];
CREATE INDEX run_checkpoints_inner_versions ON run_checkpoints USING gin (inner_versions) WHERE inner_versions IS NOT NULL;

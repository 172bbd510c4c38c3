-- Whether a run of the newest version of a flow reaches a vertex that only Python can run. Such runs go to the pool with
-- Python unless the flow names another pool. Null for flows that an earlier release stored: gateways fill it in.

ALTER TABLE flows ADD COLUMN needs_python boolean;

CREATE INDEX flows_needs_python_unknown ON flows (id) WHERE needs_python IS NULL;

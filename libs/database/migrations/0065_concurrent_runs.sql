-- Few rows limit their concurrent runs: {"concurrentRuns"} in their limits. Each round of the backlog reads them.
CREATE INDEX users_limited ON users (id) WHERE jsonb_typeof(limits -> 'concurrentRuns') = 'number';
CREATE INDEX projects_limited ON projects (id) WHERE jsonb_typeof(limits -> 'concurrentRuns') = 'number';
CREATE INDEX flows_limited ON flows (id) WHERE jsonb_typeof(limits -> 'concurrentRuns') = 'number';

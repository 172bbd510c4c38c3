-- How much can be asked for: {"requestsPerSecond"}. Null: nothing limits it.
ALTER TABLE users ADD COLUMN limits jsonb CHECK (jsonb_typeof(limits) = 'object');
ALTER TABLE projects ADD COLUMN limits jsonb CHECK (jsonb_typeof(limits) = 'object');
ALTER TABLE flows ADD COLUMN limits jsonb CHECK (jsonb_typeof(limits) = 'object');
ALTER TABLE api_keys ADD COLUMN limits jsonb CHECK (jsonb_typeof(limits) = 'object');

-- What narrows a key beyond its scopes: {"access", "flows", "projects", "addresses"}. Null: nothing does.
ALTER TABLE api_keys ADD COLUMN bounds jsonb CHECK (jsonb_typeof(bounds) = 'object');

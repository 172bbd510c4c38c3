-- The issuer whose groups made this user a member; null for one who was added by hand.
ALTER TABLE project_members ADD COLUMN issuer text;
-- The `iat` of the token by whose groups the projects of an identity were given last. A token that was issued before changes nothing.
ALTER TABLE api_keys ADD COLUMN groups_iat double precision;
-- Members are given by the id of a project alone.
CREATE INDEX projects_by_id ON projects (id);

-- Who signs in by an issuer of OpenID Connect. The issuer that made a user; null: an admin or the first start did.
ALTER TABLE users ADD COLUMN issuer text;

-- A key of an identity has no secret: its `key_hash` is a name of issuer and subject, which no key has as its hash.
ALTER TABLE api_keys ADD COLUMN issuer text, ADD COLUMN subject text,
  ADD CHECK ((issuer IS NULL) = (subject IS NULL));

-- What the issuer granted to the session; null: whatever its key has. The session there, which the issuer ends.
ALTER TABLE console_sessions ADD COLUMN scopes text[], ADD COLUMN issuer_session text;

-- A session by an issuer is checked there while it is used. The token that asks, encrypted: a refresh token, or an access token for the issuer's
-- userinfo endpoint; null: not checked. When the latest confirmed check began, and when one began that has not ended.
ALTER TABLE console_sessions ADD COLUMN encrypted_issuer_token text, ADD COLUMN checked_at timestamptz,
  ADD COLUMN check_began_at timestamptz;

-- One value, encrypted by the first service that ever started: a service with another key finds that out at its start.

CREATE TABLE encryption_canary (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  encrypted_value text NOT NULL
);

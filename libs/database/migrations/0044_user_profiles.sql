-- What clients of Langflow read and change of a user. The names are of no other table: releases before this one join users
-- without naming the table of each column.

ALTER TABLE users
  ADD COLUMN changed_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN profile_image text,
  ADD COLUMN optins jsonb,
  -- Keys and sessions of the user are refused while this is set.
  ADD COLUMN deactivated_at timestamptz;

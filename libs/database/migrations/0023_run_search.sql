-- Searching runs. No index mentions a column that a background run changes between its acceptance and its end, so that
-- those steps stay on their page (see 0004); most have entries for some of the runs only.

-- Runs that did not succeed, newest first. The failure is written at the end of a run, or between two attempts.
CREATE INDEX runs_without_success ON runs (user_id, accepted_at) WHERE failure IS NOT NULL;

-- The same runs by error code. The code is taken from the failure's text, because a conversion to JSON would refuse
-- some texts. A quote in another member is escaped there, so the first match is the member `code`.
CREATE INDEX runs_by_error_code ON runs (user_id, substring(failure from '"code":"([a-z0-9_]+)"'), accepted_at)
  WHERE failure IS NOT NULL;

-- By hash, because a session id may be longer than an index entry can be. A session whose id is that of the flow is the
-- default of runs without a session; the index by flow finds those.
CREATE INDEX runs_by_session ON runs (hashtextextended(session_id, 0), accepted_at)
  WHERE session_id <> flow_id::text;

-- Which versions of a flow runs refer to: such a version is not deleted.
CREATE INDEX runs_by_version ON runs (flow_id, flow_version);

ALTER TABLE flow_versions
  -- The version with the same document that was activated again.
  ADD COLUMN restored_from integer,
  -- When a replay last asked for this version.
  ADD COLUMN used_at timestamptz;

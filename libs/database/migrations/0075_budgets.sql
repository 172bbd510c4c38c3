-- What calls of models have spent of budgets: one row for each budget and period with a call.
CREATE TABLE budget_spend (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- What the budget is of. No foreign key: what was spent is known after it is deleted.
  scope text NOT NULL CHECK (scope IN ('run', 'key', 'user', 'project', 'flow')),
  object_id uuid NOT NULL,
  period text NOT NULL CHECK (period IN ('run', 'day', 'month')),
  -- Of the day or month in UTC; the epoch for a run.
  start timestamptz NOT NULL,
  -- Of the calls that ended.
  tokens bigint NOT NULL DEFAULT 0,
  dollars numeric NOT NULL DEFAULT 0,
  -- The worst cases of the others: those in progress, and those whose process was lost.
  reserved_tokens bigint NOT NULL DEFAULT 0,
  reserved_dollars numeric NOT NULL DEFAULT 0,
  -- The budget at the last call, and the spend after which a warning is given.
  limit_tokens bigint,
  limit_dollars numeric,
  warn_tokens numeric,
  warn_dollars numeric,
  -- Whether the warning was given.
  warned boolean NOT NULL DEFAULT false,
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (user_id, scope, object_id, period, start)
) WITH (fillfactor = 70);

CREATE INDEX budget_spend_by_age ON budget_spend (period, updated_at);

-- The worst cases of calls that have not ended, stored before they are sent. The end of a call deletes its row.
CREATE TABLE budget_reservations (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  run_id uuid NOT NULL,
  flow_id uuid NOT NULL,
  -- The rows of budget_spend that include it.
  spend_ids uuid[] NOT NULL,
  tokens bigint NOT NULL,
  dollars numeric NOT NULL,
  reserved_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX budget_reservations_by_age ON budget_reservations (reserved_at);

-- Few rows have budgets: {"budget"} in their limits. Each executor looks for their users.
CREATE INDEX users_with_budget ON users (id) WHERE limits ? 'budget';
CREATE INDEX projects_with_budget ON projects (user_id) WHERE limits ? 'budget';
CREATE INDEX flows_with_budget ON flows (user_id) WHERE limits ? 'budget';
CREATE INDEX api_keys_with_budget ON api_keys (user_id) WHERE limits ? 'budget';

-- Callbacks about budgets: of the flow whose call passed the share, whether its run has a row or not.

ALTER TABLE callback_deliveries ALTER COLUMN run_id DROP NOT NULL;
ALTER TABLE callback_deliveries ADD COLUMN budget_spend_id uuid REFERENCES budget_spend (id) ON DELETE CASCADE;
-- What the report says; null for other kinds.
ALTER TABLE callback_deliveries ADD COLUMN budget json;
CREATE INDEX callback_deliveries_by_budget ON callback_deliveries (budget_spend_id) WHERE budget_spend_id IS NOT NULL;
-- Not validated: the stored rows comply with the narrower constraint before.
ALTER TABLE callback_deliveries DROP CONSTRAINT callback_deliveries_kind_check;
ALTER TABLE callback_deliveries ADD CONSTRAINT callback_deliveries_kind_check CHECK (
  kind IN ('finished', 'failed', 'dead', 'cancelled', 'waiting', 'budget')
) NOT VALID;

-- Spend of end users, whose id is a digest of their name. Not validated: the stored rows comply with the narrower constraint before.
ALTER TABLE budget_spend DROP CONSTRAINT budget_spend_scope_check;
ALTER TABLE budget_spend ADD CONSTRAINT budget_spend_scope_check CHECK (
  scope IN ('run', 'key', 'user', 'project', 'flow', 'end_user')
) NOT VALID;

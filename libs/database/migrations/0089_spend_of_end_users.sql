-- Spend of end users is deleted some days after its day or month.
CREATE INDEX budget_spend_of_end_users ON budget_spend (updated_at) WHERE scope = 'end_user';

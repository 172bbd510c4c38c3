-- Spend of end users is deleted some weeks after the begin of its day or month.
CREATE INDEX budget_spend_of_end_users ON budget_spend (start) WHERE scope = 'end_user';

-- Background runs wait for their turn: next_sweep_at is infinity until then. Both indexes change only when a run is
-- accepted, gets its turn or ends, never in between.

-- Of each user, what is on its way: queued, running or between two attempts.
CREATE INDEX runs_on_their_way ON runs (user_id, pool, flow_id)
  WHERE lane = 'background' AND next_sweep_at < 'infinity';
-- Who waits, the first one of each flow first.
CREATE INDEX runs_waiting ON runs (user_id, pool, flow_id, accepted_at) WHERE next_sweep_at = 'infinity';

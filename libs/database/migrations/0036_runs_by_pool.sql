-- The runs of a pool, by time. Those of the pool "default" are found by their user, flow or id: they are not in the index,
-- so that storing them costs nothing more.

CREATE INDEX runs_by_pool ON runs (pool, accepted_at) WHERE pool <> 'default';

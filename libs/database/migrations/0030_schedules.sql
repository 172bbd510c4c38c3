-- Finding the schedules that are due costs one look into this index, however many schedules there are.

CREATE INDEX triggers_due ON triggers (next_fire_at) WHERE kind = 'schedule' AND state = 'active';

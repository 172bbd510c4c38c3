-- Counts the events of a trigger that have not ended: those whose runs are released, and those whose runs wait. Volatile, so that
-- it sees what others committed before its call: a statement that locks a trigger and then counts began before it had the lock.
-- By the runs of the flow that have not ended, which an index covers; a trigger has many events that ended.
CREATE FUNCTION active_events(of_trigger uuid, OUT released integer, OUT waiting integer) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  SELECT
    (SELECT count(*) FROM runs JOIN trigger_events ON trigger_events.run_id = runs.id
      WHERE runs.user_id = triggers.user_id AND runs.flow_id = triggers.flow_id
        AND runs.lane = 'background' AND runs.next_sweep_at < 'infinity' AND trigger_events.trigger_id = triggers.id),
    (SELECT count(*) FROM runs JOIN trigger_events ON trigger_events.run_id = runs.id
      WHERE runs.user_id = triggers.user_id AND runs.flow_id = triggers.flow_id
        AND runs.next_sweep_at = 'infinity' AND trigger_events.trigger_id = triggers.id)
    INTO released, waiting FROM triggers WHERE triggers.id = of_trigger;
END
$$;

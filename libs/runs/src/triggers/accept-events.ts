import { textArray, uuidArray } from '@millrace/database';
import type { Queryable } from '@millrace/database';
import { acceptRunsWithin } from '../runs/accept-runs';
import { RELEASED } from '../runs/lifecycle';
import type { RequestSeal } from '../runs/request-seal';
import type { EventAcceptance, NewTriggerEvent } from './trigger-event-record';
import { IS_LIMITED } from './trigger-limit';

// Locked, so that two processes do not both take the last place of a trigger; in order of ids, so that they do not
// deadlock. A separate statement, because one statement would count what it saw before it waited for the lock.
const LOCK = {
  name: 'triggers-lock',
  text: `SELECT id FROM triggers WHERE id = ANY($1::uuid[]) AND state <> 'paused' ORDER BY id FOR NO KEY UPDATE`,
};

// By the runs of the flow that have not ended, which an index covers; a trigger has many events that ended.
const COUNT_ACTIVE = {
  name: 'triggers-active',
  text: `SELECT id, CASE WHEN ${IS_LIMITED} THEN concurrency_limit END AS limit,
      (SELECT count(*)::int FROM runs JOIN trigger_events ON trigger_events.run_id = runs.id
        WHERE runs.user_id = triggers.user_id AND runs.flow_id = triggers.flow_id AND ${RELEASED}
          AND trigger_events.trigger_id = triggers.id) AS released,
      (SELECT count(*)::int FROM runs JOIN trigger_events ON trigger_events.run_id = runs.id
        WHERE runs.user_id = triggers.user_id AND runs.flow_id = triggers.flow_id
          AND runs.next_sweep_at = 'infinity' AND trigger_events.trigger_id = triggers.id) AS waiting
    FROM triggers WHERE id = ANY($1::uuid[])`,
};

const INSERT = {
  name: 'trigger-events-insert',
  text: `INSERT INTO trigger_events (id, trigger_id, run_id, dedupe_key, payload, replay_of, created_at)
    SELECT id, trigger_id, run_id, dedupe_key, payload, nullif(replay_of, '')::uuid, now()
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[])
      AS given (id, trigger_id, run_id, dedupe_key, payload, replay_of)`,
};

const FIRED = {
  name: 'triggers-fired',
  text: `UPDATE triggers SET last_fired_at = now(), last_error = NULL WHERE id = ANY($1::uuid[])`,
};

/** How many events of a trigger have not ended. */
export interface ActiveEvents {
  readonly id: string;
  /** How many can run at a time; null for no limit. */
  readonly limit: number | null;
  readonly released: number;
  readonly waiting: number;
}

/** Locks triggers and counts their active events. Paused and unknown triggers are missing in the result. */
export async function lockTriggers(
  connection: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ActiveEvents>> {
  const locked = await connection.query<{ id: string }>({ ...LOCK, values: [uuidArray([...new Set(ids)])] });
  const found = locked.rows.map(({ id }) => id);
  if (found.length === 0) return new Map();
  const { rows } = await connection.query<ActiveEvents>({ ...COUNT_ACTIVE, values: [uuidArray(found)] });
  return new Map(rows.map((row) => [row.id, row]));
}

export interface AcceptEventsOptions {
  readonly seal: RequestSeal;
  readonly publishedPerUser: number;
}

/**
 * Stores events and their runs in the caller's transaction. Resolves to one acceptance per event, in order. A run beyond
 * the limit of its trigger joins the backlog. Triggers must have been locked.
 */
export async function acceptEvents(
  connection: Queryable,
  events: readonly NewTriggerEvent[],
  triggers: ReadonlyMap<string, ActiveEvents>,
  { seal, publishedPerUser }: AcceptEventsOptions,
): Promise<EventAcceptance[]> {
  const taken = new Map<string, number>();
  const known = events.filter(({ triggerId }) => triggers.has(triggerId));
  const runs = known.map(({ triggerId, run }) => {
    const { limit = null, released = 0, waiting = 0 } = triggers.get(triggerId) ?? {};
    const place = (taken.get(triggerId) ?? 0) + 1;
    taken.set(triggerId, place);
    const isFull = limit !== null && (waiting > 0 || released + place > limit);
    return isFull ? { ...run, isLimited: true } : run;
  });
  const accepted = await acceptRunsWithin(connection, seal, runs, publishedPerUser);
  const stored = known.filter(({ run }) => accepted.get(run.id)?.canonicalRunId === run.id);
  await insertEvents(connection, stored);
  return events.map(({ triggerId, run }) => {
    const acceptance = triggers.has(triggerId) ? accepted.get(run.id) : undefined;
    if (!acceptance) return { runId: null, isNew: false, isInBacklog: false };
    const { canonicalRunId, isInBacklog } = acceptance;
    return { runId: canonicalRunId, isNew: canonicalRunId === run.id, isInBacklog };
  });
}

async function insertEvents(connection: Queryable, events: readonly NewTriggerEvent[]): Promise<void> {
  if (events.length === 0) return;
  await connection.query({
    ...INSERT,
    values: [
      uuidArray(events.map(({ id }) => id)),
      uuidArray(events.map(({ triggerId }) => triggerId)),
      uuidArray(events.map(({ run }) => run.id)),
      textArray(events.map(({ dedupeKey }) => dedupeKey)),
      textArray(events.map(({ payload }) => payload)),
      textArray(events.map(({ replayOf }) => replayOf ?? '')),
    ],
  });
  const fired = [...new Set(events.map(({ triggerId }) => triggerId))];
  await connection.query({ ...FIRED, values: [uuidArray(fired)] });
}

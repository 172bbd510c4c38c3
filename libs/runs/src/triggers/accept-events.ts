import { textArray, uuidArray } from '@millrace/database';
import type { Queryable } from '@millrace/database';
import { WAITS_BRIEFLY } from '../lock-timeout';
import { acceptInRounds, acceptSql, runParameters } from '../runs/accept-runs';
import type { AcceptedRow } from '../runs/accept-runs';
import type { RequestSeal } from '../encryption/request-seal';
import type { EventAcceptance, NewTriggerEvent } from './trigger-event-record';
import { IS_LIMITED } from '../runs/backlog/trigger-limit';

// In one statement, so that no lock outlasts it. A trigger whose row another session locks in a way that forbids references to it
// is passed over: its events are refused, and those of other triggers are not. To count the events that have a place, a process
// locks the trigger, so that two do not both take the last place. With `skipsLocked`, events of a trigger that another session
// has locked join the backlog; otherwise the statement waits for that lock, and fails after a short while.
const acceptEventsSql = (skipsLocked: boolean) =>
  acceptSql({
    arrays: ', $20::uuid[], $21::uuid[], $22::text[], $23::text[], $24::text[]',
    given: ', event_id, trigger_id, event_key, payload, replay_of, place',
    ctes: `known AS MATERIALIZED (
      SELECT id, concurrency_limit, ${IS_LIMITED} AS is_limited FROM triggers
      WHERE id = ANY($21::uuid[]) AND state <> 'paused' FOR KEY SHARE SKIP LOCKED
    ), counted AS MATERIALIZED (
      SELECT free.id, active.released, active.waiting FROM (
        SELECT id FROM triggers WHERE id IN (SELECT id FROM known WHERE is_limited) ${skipsLocked ? '' : `AND ${WAITS_BRIEFLY}`}
        ORDER BY id FOR NO KEY UPDATE ${skipsLocked ? 'SKIP LOCKED' : ''}
      ) AS free CROSS JOIN LATERAL active_events(free.id) AS active
    ), placed AS MATERIALIZED (
      SELECT given.*, known.is_limited AND (counted.id IS NULL OR counted.waiting > 0 OR counted.released
          + row_number() OVER (PARTITION BY given.trigger_id ORDER BY given.place) > known.concurrency_limit) AS is_full
      FROM given JOIN known ON known.id = given.trigger_id LEFT JOIN counted ON counted.id = given.trigger_id
    ), `,
    source: 'placed',
    isLimited: 'is_limited OR is_full',
    // So that two batches with the same dedupe keys do not deadlock.
    order: 'ORDER BY dedupe_key COLLATE "C"',
    after: `, stored AS (
      INSERT INTO trigger_events (id, trigger_id, run_id, dedupe_key, payload, replay_of, created_at)
      SELECT event_id, trigger_id, id, event_key, payload, nullif(replay_of, '')::uuid, now()
      FROM placed WHERE id IN (SELECT id FROM inserted) RETURNING trigger_id
    ), fired AS (
      UPDATE triggers SET last_fired_at = now(), last_error = NULL WHERE id = ANY(ARRAY(
        SELECT id FROM triggers WHERE id IN (SELECT trigger_id FROM stored) FOR NO KEY UPDATE SKIP LOCKED))
    )`,
    columns: ', false AS "isLocked"',
    others: ` UNION ALL SELECT given.id, NULL, false, EXISTS (
        SELECT FROM triggers WHERE triggers.id = given.trigger_id AND triggers.state <> 'paused')
      FROM given WHERE given.trigger_id NOT IN (SELECT id FROM known)`,
  });

const WAITING = { name: 'trigger-events-accept', text: acceptEventsSql(false) };
const SKIPPING = { name: 'trigger-events-accept-unlocked', text: acceptEventsSql(true) };

type AcceptedEventRow = Omit<AcceptedRow, 'canonicalRunId'> & {
  /** Null when the trigger accepts no events. */
  readonly canonicalRunId: string | null;
  readonly isLocked: boolean;
};

export interface AcceptEventsOptions {
  readonly seal: RequestSeal;
  readonly publishedPerUser: number;
}

/**
 * Stores events and their runs. Resolves to one acceptance per event, in order. A run beyond the limit of its trigger joins the
 * backlog.
 */
export async function acceptEvents(
  connection: Queryable,
  events: readonly NewTriggerEvent[],
  { seal, publishedPerUser, skipsLocked }: AcceptEventsOptions & { readonly skipsLocked: boolean },
): Promise<EventAcceptance[]> {
  const eventOf = new Map(events.map((event) => [event.run.id, event]));
  const refused = new Map<string, boolean>();
  const runs = events.map(({ run }) => run);
  const accepted = await acceptInRounds(connection, runs, async (unresolved) => {
    const given = unresolved.flatMap(({ id }) => eventOf.get(id) ?? []);
    const values = [
      ...runParameters(unresolved, seal, publishedPerUser),
      uuidArray(given.map(({ id }) => id)),
      uuidArray(given.map(({ triggerId }) => triggerId)),
      textArray(given.map(({ dedupeKey }) => dedupeKey)),
      textArray(given.map(({ payload }) => payload)),
      textArray(given.map(({ replayOf }) => replayOf ?? '')),
    ];
    const { rows } = await connection.query<AcceptedEventRow>({
      ...(skipsLocked ? SKIPPING : WAITING),
      values,
    });
    return rows.map(({ canonicalRunId, isLocked, ...row }) => {
      if (canonicalRunId === null) refused.set(row.id, isLocked);
      return { ...row, canonicalRunId: canonicalRunId ?? row.id };
    });
  });
  return events.map(({ run: { id } }) => {
    const isLocked = refused.get(id);
    const acceptance = accepted.get(id);
    if (isLocked !== undefined || !acceptance)
      return { runId: null, isNew: false, isInBacklog: false, ...(isLocked && { isLocked }) };
    const { canonicalRunId, isInBacklog } = acceptance;
    return { runId: canonicalRunId, isNew: canonicalRunId === id, isInBacklog };
  });
}

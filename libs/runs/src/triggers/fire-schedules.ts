import { textArray, uuidArray } from '@millrace/database';
import type { Database, Queryable } from '@millrace/database';
import { storableText } from '@millrace/python-text';
import { fireSchedule, occurrenceAfter, readSchedule, ScheduleError } from '@millrace/schedules';
import type { Firing, ScheduleRules } from '@millrace/schedules';
import type { FlowReference } from '../flows/flow-record';
import { retryOnDeadlock } from '../retry-on-deadlock';
import type { NewRun } from '../run-record/run-record';
import { acceptEvents } from './accept-events';
import type { AcceptEventsOptions } from './accept-events';
import { flowOfTrigger } from './flow-of-trigger';
import type { TriggerFlowRow } from './flow-of-trigger';
import type { NewTriggerEvent } from './trigger-event-record';
import { TRIGGER_COLUMNS } from './trigger-record';
import type { TriggerConfig, TriggerRecord } from './trigger-record';

/** Maximum number of events in one transaction; what exceeds it fires in the next one. */
const MAXIMUM_EVENTS = 2_000;

// `clock_timestamp` would read all schedules: the server uses an index only for a time that is constant in a statement.
const DUE = {
  name: 'schedules-due',
  text: `SELECT ${TRIGGER_COLUMNS}, flows.name AS "flowName", flows.version, flows.settings,
      coalesce(flows.needs_python, false) AS "needsPython", statement_timestamp() AS now
    FROM triggers JOIN flows ON flows.id = triggers.flow_id
    WHERE triggers.kind = 'schedule' AND triggers.state = 'active' AND triggers.next_fire_at <= statement_timestamp()
    ORDER BY triggers.next_fire_at LIMIT $1 FOR NO KEY UPDATE OF triggers SKIP LOCKED`,
};

const NEXT = {
  name: 'schedules-next',
  text: `SELECT (extract(epoch FROM min(next_fire_at) - statement_timestamp()) * 1000)::float8 AS milliseconds
    FROM triggers WHERE kind = 'schedule' AND state = 'active'`,
};

// Of schedules that this transaction has locked.
const ACTIVE = {
  name: 'schedules-active',
  text: `SELECT locked.id, active.released, active.waiting FROM unnest($1::uuid[]) AS locked (id),
    LATERAL active_events(locked.id) AS active`,
};

/** How many events of a schedule have not ended. */
interface ActiveEvents {
  readonly id: string;
  readonly released: number;
  readonly waiting: number;
}

const ADVANCE = {
  name: 'schedules-advance',
  text: `UPDATE triggers SET next_occurrence_at = nullif(given.occurrence, '')::timestamptz,
      next_fire_at = nullif(given.fire_at, '')::timestamptz, state = given.state, last_error = nullif(given.error, '')
    FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[])
      AS given (id, occurrence, fire_at, state, error)
    WHERE triggers.id = given.id`,
};

/** An occurrence for which the caller makes an event. */
export interface FiringSchedule {
  readonly trigger: TriggerRecord;
  readonly flow: FlowReference;
  readonly firing: Firing;
}

export interface FireOptions extends AcceptEventsOptions {
  /** Maximum number of schedules to inspect. */
  readonly limit: number;
  readonly pythonPool: string | null;
  readonly eventOf: (firing: FiringSchedule) => NewTriggerEvent;
}

/** The outcome of one round. */
export interface FiredSchedules {
  /** Stored runs that the caller must publish. */
  readonly runs: readonly NewRun[];
  /** Runs that joined the backlog. */
  readonly waiting: number;
  readonly fired: number;
  /** Missed occurrences that did not fire by themselves. */
  readonly missed: number;
  /** Occurrences that did not fire because earlier ones still ran. */
  readonly overlapped: number;
  /** How long after its time the latest occurrence fired, in milliseconds. */
  readonly delaysMilliseconds: readonly number[];
  /** How many schedules were due and not locked by another process. */
  readonly inspected: number;
}

type DueRow = TriggerRecord & TriggerFlowRow & { readonly now: Date };

/**
 * Fires the schedules that are due. The events, their runs and what the schedules wait for next are stored in one
 * transaction, so that a process that dies leaves all of it or nothing. Any number of processes can call it: each takes
 * other schedules.
 */
export async function fireSchedules(database: Database, options: FireOptions): Promise<FiredSchedules> {
  return retryOnDeadlock(() =>
    database.transaction(async (connection) => {
      const { rows } = await connection.query<DueRow>({ ...DUE, values: [options.limit] });
      if (rows.length === 0) return nothingFired;
      return fireRows(connection, rows, options);
    }),
  );
}

/** Resolves to the time until the next schedule fires, in milliseconds; null when none waits. */
export async function timeToNextSchedule(database: Queryable): Promise<number | null> {
  const { rows } = await database.query<{ milliseconds: number | null }>(NEXT);
  return rows[0]?.milliseconds ?? null;
}

const nothingFired: FiredSchedules = {
  runs: [],
  waiting: 0,
  fired: 0,
  missed: 0,
  overlapped: 0,
  delaysMilliseconds: [],
  inspected: 0,
};

interface Advance {
  readonly id: string;
  readonly occurrence: number | null;
  readonly fireAt: number | null;
  readonly error: string | null;
}

async function fireRows(
  connection: Queryable,
  rows: readonly DueRow[],
  options: FireOptions,
): Promise<FiredSchedules> {
  const ids = rows.map(({ id }) => id);
  const counted = await connection.query<ActiveEvents>({ ...ACTIVE, values: [uuidArray(ids)] });
  const active = new Map(counted.rows.map((row) => [row.id, row]));
  const events: NewTriggerEvent[] = [];
  const advances: Advance[] = [];
  const delaysMilliseconds: number[] = [];
  const counts = { missed: 0, overlapped: 0 };
  for (const row of rows) {
    if (events.length >= MAXIMUM_EVENTS) break;
    const now = row.now.getTime();
    const step = stepOf(row, now);
    if ('error' in step) {
      advances.push({ id: row.id, occurrence: null, fireAt: null, error: step.error });
      continue;
    }
    const firings = withoutOverlaps(step.firings, step.rules, active.get(row.id));
    counts.missed += step.missed;
    counts.overlapped += step.firings.length - firings.length;
    for (const firing of firings) {
      events.push(options.eventOf({ trigger: row, flow: flowOfTrigger(row, options.pythonPool), firing }));
      delaysMilliseconds.push(Math.max(0, now - firing.occurrence));
    }
    advances.push({
      id: row.id,
      occurrence: step.next?.occurrence ?? null,
      fireAt: step.next?.fireAt ?? null,
      error: null,
    });
  }
  // This transaction has locked the triggers.
  const acceptances = await acceptEvents(connection, events, { ...options, skipsLocked: true });
  await advance(connection, advances);
  const runs = events.filter((_, index) => acceptances[index]?.isNew && !acceptances[index].isInBacklog);
  return {
    runs: runs.map(({ run }) => run),
    waiting: acceptances.filter(({ isNew, isInBacklog }) => isNew && isInBacklog).length,
    fired: acceptances.filter(({ isNew }) => isNew).length,
    ...counts,
    delaysMilliseconds,
    inspected: rows.length,
  };
}

type Step = ReturnType<typeof fireSchedule> & { readonly rules: ScheduleRules };

function stepOf(row: DueRow, now: number): Step | { readonly error: string } {
  const waitsFor = row.nextOccurrenceAt ?? row.nextFireAt;
  try {
    const { rules } = readSchedule(row.config, row.createdAt.getTime());
    return { ...fireSchedule(row.id, rules, waitsFor?.getTime() ?? now, now), rules };
  } catch (error) {
    // Any error: a schedule that cannot be read must not keep those of other users from firing.
    return { error: error instanceof ScheduleError ? error.message : 'The configuration cannot be read.' };
  }
}

/** With the policy `skip`, an occurrence fires only when no earlier one is active. */
function withoutOverlaps(
  firings: readonly Firing[],
  { overlap }: ScheduleRules,
  active: ActiveEvents | undefined,
): readonly Firing[] {
  if (overlap !== 'skip') return firings;
  const isActive = active !== undefined && active.released + active.waiting > 0;
  return isActive ? [] : firings.slice(0, 1);
}

async function advance(connection: Queryable, advances: readonly Advance[]): Promise<void> {
  const time = (milliseconds: number | null) =>
    milliseconds === null ? '' : new Date(milliseconds).toISOString();
  await connection.query({
    ...ADVANCE,
    values: [
      uuidArray(advances.map(({ id }) => id)),
      textArray(advances.map(({ occurrence }) => time(occurrence))),
      textArray(advances.map(({ fireAt }) => time(fireAt))),
      textArray(advances.map(({ error }) => (error === null ? 'active' : 'paused'))),
      textArray(advances.map(({ error }) => storableText(error ?? ''))),
    ],
  });
}

/** Returns what a schedule waits for from an instant on. Throws ScheduleError when its configuration is invalid. */
export function scheduleFrom(
  trigger: Pick<TriggerRecord, 'id' | 'createdAt'> & { readonly config: TriggerConfig },
  now: Date,
): { readonly nextOccurrenceAt: Date | null; readonly nextFireAt: Date | null } {
  const { rules } = readSchedule(trigger.config, trigger.createdAt.getTime());
  const due = occurrenceAfter(trigger.id, rules, now.getTime());
  return {
    nextOccurrenceAt: due && new Date(due.occurrence),
    nextFireAt: due && new Date(due.fireAt),
  };
}

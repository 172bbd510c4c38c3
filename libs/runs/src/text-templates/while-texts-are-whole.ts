import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Queryable } from '@millrace/database';
import { EARLIER_SERVICES } from './earlier-services';
import { VALID_MILLISECONDS } from './text-templates';

/** The name of the connection that keeps services from writing texts that have templates: they take it for an earlier service. */
export const REWRITE_CONNECTION = 'millrace-rewrite';

/** What a service encoded with its last answer reaches the database within this time. */
const MARGIN_MILLISECONDS = 5_000;
/** Services' transactions end within this time. Those of others, such as a backup, write no texts. */
const TRANSACTION_MILLISECONDS = 60_000;
const PING_MILLISECONDS = 5_000;
const POLL_MILLISECONDS = 500;
const LONG_MILLISECONDS = 7 * 24 * 3_600_000;

/** The pooler does not show the name of the connection, so that services do not see it. */
export class HiddenConnectionError extends Error {
  constructor() {
    super(
      `The server does not show the connection ${REWRITE_CONNECTION}: set DATABASE_DIRECT_URL to PostgreSQL itself, without the pooler.`,
    );
  }
}

export interface WholeTextsOptions {
  readonly database: Database;
  /** A database on the same server, opened under the name REWRITE_CONNECTION with one connection. */
  readonly marker: Database;
  readonly signal: AbortSignal;
  /** For how long services can still write texts with templates. */
  readonly settleMilliseconds?: number;
  /** Called while it waits for that. */
  readonly onWait?: (seconds: number) => void;
}

/** The work begins when all services write whole texts; its signal aborts when that is no longer certain. */
export async function whileTextsAreWhole<T>(
  {
    database,
    marker,
    signal,
    onWait,
    settleMilliseconds = VALID_MILLISECONDS + MARGIN_MILLISECONDS,
  }: WholeTextsOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // A transaction, so that a pooler does not give the connection, with its name, to others.
  return marker.transaction(
    async (connection) => {
      const lost = new AbortController();
      const own = AbortSignal.any([signal, lost.signal]);
      await connection.query({ text: 'SELECT 1' });
      if (!(await isShown(database))) throw new HiddenConnectionError();
      const pings = setInterval(() => {
        connection.query({ text: 'SELECT 1' }).catch((error: unknown) => lost.abort(error));
      }, PING_MILLISECONDS);
      try {
        await settle(database, settleMilliseconds, own, onWait);
        return await work(own);
      } finally {
        clearInterval(pings);
      }
    },
    { timeoutMilliseconds: LONG_MILLISECONDS },
  );
}

/** Resolves when a service of a release before 0.2 is connected, which keeps texts whole from then on. */
export async function untilEarlierService(database: Queryable, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { rows } = await database.query({
      text: `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name ~ '${EARLIER_SERVICES}'
        AND NOT starts_with(application_name, '${REWRITE_CONNECTION}') LIMIT 1`,
    });
    if (rows.length > 0) return;
    await pause(POLL_MILLISECONDS, undefined, { signal });
  }
}

/** Whether other programs, which may be services, are connected to the database. */
export async function hasOtherConnections(database: Queryable): Promise<boolean> {
  const { rows } = await database.query<{ others: number }>({
    text: `SELECT count(*)::int AS others FROM ${OTHERS}`,
  });
  return (rows[0]?.others ?? 0) > 0;
}

const OTHERS = `pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'
  AND pid <> pg_backend_pid() AND NOT starts_with(application_name, '${REWRITE_CONNECTION}')`;

async function isShown(database: Queryable): Promise<boolean> {
  const { rows } = await database.query({
    text: `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND starts_with(application_name, '${REWRITE_CONNECTION}') LIMIT 1`,
  });
  return rows.length > 0;
}

async function settle(
  database: Queryable,
  milliseconds: number,
  signal: AbortSignal,
  onWait?: (seconds: number) => void,
): Promise<void> {
  // A service without a connection asks again before it writes.
  if (!(await hasOtherConnections(database))) return;
  for (const end = performance.now() + milliseconds; performance.now() < end;) {
    onWait?.(Math.ceil((end - performance.now()) / 1_000));
    await pause(POLL_MILLISECONDS, undefined, { signal });
  }
  const { rows } = await database.query<{ now: string }>({ text: 'SELECT clock_timestamp()::text AS now' });
  const older = {
    text: `SELECT FROM ${OTHERS} AND xact_start < $1::timestamptz LIMIT 1`,
    values: [rows[0]?.now],
  };
  for (const end = performance.now() + TRANSACTION_MILLISECONDS; performance.now() < end;) {
    if ((await database.query(older)).rows.length === 0) return;
    onWait?.(Math.ceil((end - performance.now()) / 1_000));
    await pause(POLL_MILLISECONDS, undefined, { signal });
  }
}

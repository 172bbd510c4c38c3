import type nodeModule from 'node:module';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import type { Logger } from '@millrace/service';
import { Pool } from 'pg';
import { columnTypes } from '../column-types';
import type { Database } from '../database';
import { PooledDatabase } from '../pooled-database';
import { EmbeddedConnection } from '../embedded/embedded-connection';

type Bytes = Uint8Array<ArrayBuffer>;

/** The exports of pglite-worker.cjs in a main thread; see there. */
interface InThread {
  startInMemory(): Promise<{ close(): Promise<void> }>;
  exchange(database: object, bytes: Bytes): Promise<Bytes>;
}

export interface BlockingDatabaseOptions {
  readonly logger: Logger;
  /** The database's clock, in milliseconds since the epoch. */
  now(): number;
}

/**
 * Opens PGlite in memory and in this thread, with the caller's clock, so that a statement completes before anything
 * else happens. This blocks the event loop, as a simulation needs: only the simulation decides what happens between two
 * statements, and when.
 */
export async function openBlockingDatabase({ logger, now }: BlockingDatabaseOptions): Promise<Database> {
  const { startInMemory, exchange } = outsideTests();
  // From the start: timers that the database set by another clock would never fire.
  const restoreClock = replaceClock(now);
  const database = await startInMemory().catch((error: unknown) => {
    restoreClock();
    throw error;
  });
  // The call does all of the work; only its result is delivered later.
  const partner = { exchange: (bytes: Bytes) => exchange(database, bytes) };
  const server = { worker: () => Promise.resolve(partner), abandon: () => undefined };
  return new PooledDatabase({
    pool: new Pool({
      stream: () => new EmbeddedConnection(server),
      user: 'postgres',
      database: 'postgres',
      max: 1,
      idleTimeoutMillis: 0,
      types: columnTypes,
    }),
    logger,
    maximumWaiting: 10_000,
    transactionTimeoutMilliseconds: 60_000,
    closeTimeoutMilliseconds: 10_000,
    afterClose: () => {
      restoreClock();
      return database.close();
    },
  });
}

/** PGlite needs Node's own module loader, which a test framework replaces. */
function outsideTests(): InThread {
  const { getBuiltinModule } = runInThisContext('process') as NodeJS.Process;
  const { createRequire } = getBuiltinModule('node:module') as typeof nodeModule;
  return createRequire(__filename)(join(__dirname, '..', 'embedded', 'pglite-worker.cjs')) as InThread;
}

/** Replaces the clock of the modules that Node itself loaded, regardless of how a test replaced `Date`. */
function replaceClock(now: () => number): () => void {
  const date = runInThisContext('Date') as DateConstructor;
  const original = date.now;
  date.now = now;
  return () => {
    date.now = original;
  };
}

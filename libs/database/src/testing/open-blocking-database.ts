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

/** What pglite-worker.cjs exports in a main thread; see there. */
interface InThread {
  startInMemory(): Promise<{ close(): Promise<void> }>;
  exchange(database: object, bytes: Bytes): Promise<Bytes>;
}

export interface BlockingDatabaseOptions {
  readonly logger: Logger;
  /** Milliseconds since the epoch: what the database takes for the present. */
  now(): number;
}

/**
 * PGlite in memory and in this thread, so that a statement is over before anything else happens here, with a clock of
 * the caller's. That blocks the event loop, and it is what a simulation needs, where only the simulation decides what
 * happens between two statements, and when.
 */
export async function openBlockingDatabase({ logger, now }: BlockingDatabaseOptions): Promise<Database> {
  const { startInMemory, exchange } = outsideTests();
  // From the start: what the database has planned for a time of another clock would come at no time.
  const restoreClock = replaceClock(now);
  const database = await startInMemory().catch((error: unknown) => {
    restoreClock();
    throw error;
  });
  // All of the work is done within the call; only its result comes later.
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

/** PGlite needs Node's own loader of modules; a test framework has put another one in its place. */
function outsideTests(): InThread {
  const { getBuiltinModule } = runInThisContext('process') as NodeJS.Process;
  const { createRequire } = getBuiltinModule('node:module') as typeof nodeModule;
  return createRequire(__filename)(join(__dirname, '..', 'embedded', 'pglite-worker.cjs')) as InThread;
}

/** For the modules that Node itself has loaded, whatever a test has put in the place of `Date`. */
function replaceClock(now: () => number): () => void {
  const date = runInThisContext('Date') as DateConstructor;
  const original = date.now;
  date.now = now;
  return () => {
    date.now = original;
  };
}

import { runInThisContext } from 'node:vm';
import type { Logger } from '@millrace/service';
import { Pool } from 'pg';
import { columnTypes } from '../column-types';
import type { Database } from '../database';
import { PooledDatabase } from '../pooled-database';
import { EmbeddedConnection } from '../embedded/embedded-connection';
import { pgliteInThread } from './pglite-in-thread';

type Bytes = Uint8Array<ArrayBuffer>;

export interface BlockingDatabaseOptions {
  readonly logger: Logger;
  /** The database's clock, in milliseconds since the epoch. */
  now(): number;
  /** Path of an image whose content the database has; without one it has no tables. */
  readonly image?: string;
  /** Path at which `close` stores the content, as an image for further databases. */
  readonly storeAt?: string;
}

/**
 * Opens PGlite in memory and in this thread, with the caller's clock, so that a statement completes before anything
 * else happens. This blocks the event loop, as a simulation needs: only the simulation decides what happens between two
 * statements, and when.
 */
export async function openBlockingDatabase({
  logger,
  now,
  image,
  storeAt,
}: BlockingDatabaseOptions): Promise<Database> {
  const { startInMemory, storeImage, exchange } = pgliteInThread();
  // From the start: timers that the database set by another clock would never fire.
  const restoreClock = replaceClock(now);
  const database = await startInMemory(image).catch((error: unknown) => {
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
    afterClose: async () => {
      restoreClock();
      if (storeAt !== undefined) await storeImage(database, storeAt);
      await database.close();
    },
  });
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

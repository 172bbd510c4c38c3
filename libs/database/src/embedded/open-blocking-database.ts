import { once } from 'node:events';
import { join } from 'node:path';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { Logger } from '@millrace/service';
import { Pool } from 'pg';
import { columnTypes } from '../column-types';
import type { Database } from '../database';
import { DatabaseUnavailableError } from '../database';
import { PooledDatabase } from '../pooled-database';
import { EmbeddedConnection } from './embedded-connection';

type Bytes = Uint8Array<ArrayBuffer>;

const LONGEST_STATEMENT_MILLISECONDS = 30_000;

/**
 * PGlite in memory, with this thread standing still while a statement runs, so that the statement is over before
 * anything else happens here. That blocks the event loop, and it is what a simulation needs, where only the simulation
 * decides what happens between two statements.
 */
export async function openBlockingDatabase({ logger }: { readonly logger: Logger }): Promise<Database> {
  const bell = new Int32Array(new SharedArrayBuffer(4));
  const { port1: port, port2: workerPort } = new MessageChannel();
  const worker = new Worker(join(__dirname, 'pglite-worker.cjs'), {
    workerData: { bell, port: workerPort },
    transferList: [workerPort],
  });
  await once(worker, 'message');
  const exchange = (bytes: Bytes): Bytes => {
    const before = Atomics.load(bell, 0);
    port.postMessage({ id: 1, bytes }, [bytes.buffer]);
    // The bell may still ring for the answer before this one.
    while (Atomics.load(bell, 0) === before) {
      if (Atomics.wait(bell, 0, before, LONGEST_STATEMENT_MILLISECONDS) === 'timed-out') break;
    }
    const answer = receiveMessageOnPort(port) as { readonly message: { readonly bytes?: Bytes } } | undefined;
    if (answer?.message.bytes === undefined)
      throw new DatabaseUnavailableError('The database gave no answer');
    return answer.message.bytes;
  };
  const partner = { exchange: (bytes: Bytes) => new Promise<Bytes>((resolve) => resolve(exchange(bytes))) };
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
      port.close();
      await worker.terminate();
    },
  });
}

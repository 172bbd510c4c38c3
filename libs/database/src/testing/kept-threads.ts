import { once } from 'node:events';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { Client } from 'pg';
import { DatabaseUnavailableError } from '../database';
import { clientOptions } from '../embedded/database-of-server';
import type { ExchangePartner, ExchangeServer } from '../embedded/embedded-connection';
import { databaseState, emptiedDatabase } from './emptied-database';
import type { DatabaseState } from './emptied-database';

type Bytes = Uint8Array<ArrayBuffer>;

/** Idle threads that a process keeps: few tests have more databases at a time, and each takes memory. */
const MAXIMUM_KEPT = 2;
/** A deadline for a hang: a busy machine is slow. */
const TIMEOUT_MILLISECONDS = 600_000;

/** A thread that runs a database in memory. */
interface Thread {
  readonly worker: Worker;
  readonly image: string;
}

interface KeptThreads {
  readonly idle: Thread[];
  /** States of databases that began with an image, by its path. */
  readonly states: Map<string, DatabaseState>;
  readonly ignore: () => void;
}

interface Answer {
  readonly bytes?: Bytes;
  readonly failure?: string;
}

/** A database of a test: `close` empties it and keeps its thread for the next test file of the process. */
export interface ThreadLease {
  readonly server: ExchangeServer<ExchangePartner>;
  close(): Promise<void>;
}

/**
 * Leases a thread with a database that has the content of the image: a kept one, or a new one. Starting a database takes
 * about half a second of a processor, emptying it a tenth.
 */
export async function leaseThread(image: string): Promise<ThreadLease> {
  const kept = keptThreads();
  const thread = takeIdle(kept, image) ?? (await startThread(image));
  const answers: ((answer: Answer) => void)[] = [];
  const onMessage = (answer: Answer) => answers.shift()?.(answer);
  const onExit = () => {
    for (const settle of answers.splice(0)) settle({ failure: 'The thread of the database has ended' });
  };
  thread.worker.on('message', onMessage).on('exit', onExit).ref();
  const partner: ExchangePartner = {
    exchange: (bytes) =>
      new Promise((resolve, reject) => {
        answers.push(({ bytes: answer, failure = '' }) => {
          if (answer) resolve(answer);
          else reject(new DatabaseUnavailableError(failure));
        });
        thread.worker.postMessage({ id: 0, bytes }, [bytes.buffer]);
      }),
  };
  const server = { worker: () => Promise.resolve(partner), abandon: () => undefined };
  const state = kept.states.get(image) ?? (await withClient(server, databaseState));
  kept.states.set(image, state);
  return {
    server,
    async close() {
      let isEmptied = false;
      try {
        isEmptied =
          answers.length === 0 &&
          kept.idle.length < MAXIMUM_KEPT &&
          (await withClient(server, (client) => emptiedDatabase(client, state)));
      } finally {
        thread.worker.off('message', onMessage).off('exit', onExit).unref();
        if (isEmptied) kept.idle.push(thread);
        else await thread.worker.terminate();
      }
    },
  };
}

/** Jest gives each test file its own modules and globals; the object of the process outlives them. */
function keptThreads(): KeptThreads {
  const processGlobal = runInThisContext('globalThis') as Record<symbol, KeptThreads | undefined>;
  return (processGlobal[Symbol.for('millrace.kept-database-threads')] ??= {
    idle: [],
    states: new Map<string, DatabaseState>(),
    // Not a closure of this file, which would keep all modules of its test file in memory.
    ignore: runInThisContext('() => undefined') as () => void,
  });
}

function takeIdle({ idle }: KeptThreads, image: string): Thread | undefined {
  const index = idle.findLastIndex((thread) => thread.image === image && thread.worker.threadId > 0);
  return index < 0 ? undefined : idle.splice(index, 1)[0];
}

async function startThread(image: string): Promise<Thread> {
  const worker = new Worker(join(__dirname, '..', 'embedded', 'pglite-worker.cjs'), {
    workerData: { dataDirectory: undefined, durability: 'process', image },
  });
  const started = once(worker, 'message') as Promise<[Answer]>;
  const [{ failure }] = await started;
  if (failure !== undefined)
    throw new DatabaseUnavailableError(`The database of a test did not start: ${failure}`);
  worker.on('error', keptThreads().ignore);
  return { worker, image };
}

async function withClient<T>(
  server: ExchangeServer<ExchangePartner>,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({
    ...clientOptions(server),
    connectionTimeoutMillis: TIMEOUT_MILLISECONDS,
    query_timeout: TIMEOUT_MILLISECONDS,
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

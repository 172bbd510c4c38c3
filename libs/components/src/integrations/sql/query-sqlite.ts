import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ThreadSemaphore } from '@millrace/documents';
import type { ComponentContext, RunFile } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { connectionError } from './database-address';
import type { DatabaseAddress } from './database-address';
import { bytesCell, floatCell, integerCell } from './sql-cell';
import { maximumBytes, maximumRows, StatementError, tooManyBytes, tooManyRows } from './sql-statement';
import type { SqlRows, SqlStatement } from './sql-statement';

const megabyte = 1024 * 1024;
const maximumFileBytes = 64 * megabyte;
const maximumHeapBytes = 64 * megabyte;
/** Each page has 4096 bytes. */
const maximumPages = 16_384;

/** A statement can take as long as its run, so it has threads separate from those that read documents. */
const workerThreads = new ThreadSemaphore(4, 'SQLite statements');

type Cell = null | string | number | bigint | Uint8Array;

/** A message of sqlite-worker.cjs. */
interface WorkerReply {
  readonly columns?: readonly string[];
  readonly rows?: readonly (readonly Cell[])[];
  readonly failure?: string;
  readonly tooMuch?: 'rows' | 'bytes';
}

/**
 * Runs one statement on an in-memory database, or on a copy of a file of the user. The copy is read-only, because
 * changes to it would be lost.
 */
export async function querySqlite(
  { database }: DatabaseAddress,
  { text }: SqlStatement,
  context: ComponentContext,
): Promise<SqlRows> {
  const answer = await workerThreads.use(async () => {
    const file = database === '' ? null : await readDatabase(database, context);
    return runInWorker({ file, text, isReadOnly: file !== null }, context);
  }, context.signal);
  if (answer.tooMuch !== undefined) throw answer.tooMuch === 'rows' ? tooManyRows() : tooManyBytes();
  if (answer.failure !== undefined) throw new StatementError(answer.failure);
  return { columns: answer.columns ?? [], rows: (answer.rows ?? []).map((row) => row.map(cellOf)) };
}

/** Finds the file by path, otherwise by name: saved flows contain paths of the machine on which they were created. */
async function readDatabase(path: string, { resources: { files } }: ComponentContext): Promise<Buffer> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const named = async (): Promise<RunFile | undefined> =>
    (await files.list()).find((file) => file.name === name);
  const found = (await files.find(path)) ?? (await named());
  if (found === undefined) {
    throw connectionError(
      `file "${name}" not found. A SQLite database must be an uploaded file or in memory.`,
    );
  }
  return files.read(found, maximumFileBytes);
}

interface WorkerRequest {
  readonly file: Buffer | null;
  readonly text: string;
  readonly isReadOnly: boolean;
}

/** Runs a statement in a worker thread, because it can compute for a long time and must stop with the run. */
async function runInWorker(request: WorkerRequest, { signal }: ComponentContext): Promise<WorkerReply> {
  signal.throwIfAborted();
  // Next to this file in the sources, and next to the bundle, to which the build copies it.
  const worker = new Worker(join(__dirname, 'sqlite-worker.cjs'), {
    workerData: { ...request, maximumRows, maximumBytes, maximumHeapBytes, maximumPages },
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  let stop: (() => void) | undefined;
  try {
    return await new Promise<WorkerReply>((resolve, reject) => {
      stop = () => reject(signal.reason as Error);
      signal.addEventListener('abort', stop);
      worker.once('message', resolve);
      worker.once('error', (error) => reject(new StatementError(error.message, error)));
      worker.once('exit', () => reject(new StatementError('out of memory')));
    });
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}

function cellOf(cell: Cell): PythonValue {
  if (typeof cell === 'bigint') return integerCell(cell);
  if (typeof cell === 'number') return floatCell(cell);
  return cell instanceof Uint8Array ? bytesCell(cell) : cell;
}

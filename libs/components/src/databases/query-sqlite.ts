import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ThreadPlaces } from '@millrace/documents';
import type { ComponentContext, PythonValue, RunFile } from '@millrace/flow';
import { connecting } from './database-address';
import type { DatabaseAddress } from './database-address';
import { bytesCell, floatCell, integerCell } from './sql-cell';
import { maximumBytes, maximumRows, StatementError, tooManyBytes, tooManyRows } from './sql-statement';
import type { SqlRows, SqlStatement } from './sql-statement';

const megabyte = 1024 * 1024;
const maximumFileBytes = 64 * megabyte;
const maximumHeapBytes = 64 * megabyte;
/** Of 4096 bytes each. */
const maximumPages = 16_384;

/** A statement may take the time of its run: documents do not wait for databases. */
const places = new ThreadPlaces(4);

type Cell = null | string | number | bigint | Uint8Array;

/** What sqlite-worker.cjs says; see there. */
interface Answer {
  readonly columns?: readonly string[];
  readonly rows?: readonly (readonly Cell[])[];
  readonly failure?: string;
  readonly tooMuch?: 'rows' | 'bytes';
}

/**
 * Runs one statement on a database in memory, or on a copy of a file of the user's, which only reads: nothing would
 * keep what it wrote.
 */
export async function querySqlite(
  { database }: DatabaseAddress,
  { text }: SqlStatement,
  context: ComponentContext,
): Promise<SqlRows> {
  const answer = await places.use(async () => {
    const file = database === '' ? null : await readDatabase(database, context);
    return answerOf({ file, text, isReadOnly: file !== null }, context);
  }, context.signal);
  if (answer.tooMuch !== undefined) throw answer.tooMuch === 'rows' ? tooManyRows() : tooManyBytes();
  if (answer.failure !== undefined) throw new StatementError(answer.failure);
  return { columns: answer.columns ?? [], rows: (answer.rows ?? []).map((row) => row.map(cellOf)) };
}

/** By its path, or by its name alone: saved flows name paths of the machine they were made on. */
async function readDatabase(path: string, { resources: { files } }: ComponentContext): Promise<Buffer> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const named = async (): Promise<RunFile | undefined> =>
    (await files.list()).find((file) => file.name === name);
  const found = (await files.find(path)) ?? (await named());
  if (found === undefined) {
    throw connecting(
      `there is no file "${name}". SQLite databases are files you have uploaded, or in memory.`,
    );
  }
  return files.read(found, maximumFileBytes);
}

interface Question {
  readonly file: Buffer | null;
  readonly text: string;
  readonly isReadOnly: boolean;
}

/** In a thread of its own: a statement may compute for long, and is ended with the run. */
async function answerOf(question: Question, { signal }: ComponentContext): Promise<Answer> {
  signal.throwIfAborted();
  // Beside this file among the sources, and beside the bundle, where the build copies it.
  const worker = new Worker(join(__dirname, 'sqlite-worker.cjs'), {
    workerData: { ...question, maximumRows, maximumBytes, maximumHeapBytes, maximumPages },
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  let stop: (() => void) | undefined;
  try {
    return await new Promise<Answer>((resolve, reject) => {
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

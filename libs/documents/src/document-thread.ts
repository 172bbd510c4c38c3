import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ComponentError } from '@millrace/flow';
import { documentBounds } from './document-bounds';
import { ThreadPlaces } from './thread-places';

/** More threads than there are processors only cost memory. */
const places = new ThreadPlaces(3);

/** What a thread is to do: one of the tasks of its program. */
export interface DocumentTask {
  readonly program: 'archive' | 'markup' | 'office' | 'pdf' | 'sheet-writer';
  readonly task: string;
  readonly content: unknown;
}

interface Answer<Result> {
  readonly result?: Result;
  readonly failure?: string;
}

/**
 * Does a task in a thread of its own, which ends with it: a large document holds up nobody else, and a broken one
 * takes nothing with it. Throws a ComponentError with what is wrong with the document or the bound it ran into, and
 * the signal's reason.
 */
export async function inDocumentThread<Result>(
  { program, task, content }: DocumentTask,
  signal: AbortSignal,
): Promise<Result> {
  return places.use(async () => {
    // Beside this file among the sources, and beside the bundle, where the build copies it.
    const worker = new Worker(join(__dirname, `${program}-worker.cjs`), {
      workerData: { task, content, bounds: documentBounds },
      resourceLimits: { maxOldGenerationSizeMb: documentBounds.memoryMebibytes },
      // What a library remarks about a document is nothing for the log.
      stdout: true,
      stderr: true,
    });
    try {
      return await answerOf<Result>(worker, signal);
    } finally {
      await worker.terminate();
    }
  }, signal);
}

async function answerOf<Result>(worker: Worker, signal: AbortSignal): Promise<Result> {
  const ended = new AbortController();
  const timeout = AbortSignal.timeout(documentBounds.milliseconds);
  try {
    return await new Promise<Result>((resolve, reject) => {
      const once = { once: true, signal: ended.signal };
      signal.addEventListener('abort', () => reject(signal.reason as Error), once);
      timeout.addEventListener('abort', () => reject(tooSlow()), once);
      worker.once('message', ({ result, failure }: Answer<Result>) => {
        if (failure === undefined) resolve(result as Result);
        else reject(new ComponentError(failure));
      });
      worker.once('error', (error: NodeJS.ErrnoException) => reject(broken(error)));
      worker.once('exit', () => reject(new ComponentError('The document could not be read to its end.')));
      if (signal.aborted) reject(signal.reason as Error);
    });
  } finally {
    ended.abort();
  }
}

function tooSlow(): ComponentError {
  return new ComponentError(`Reading the document took longer than ${documentBounds.milliseconds} ms.`);
}

function broken(error: NodeJS.ErrnoException): ComponentError {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new ComponentError(`Reading the document took more than ${documentBounds.memoryMebibytes} MiB.`);
  }
  return new ComponentError('The document could not be read to its end.', error);
}

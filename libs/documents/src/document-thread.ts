import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ComponentError } from '@millrace/flow';
import { documentBounds } from './document-bounds';
import { ThreadSemaphore } from './thread-semaphore';

/** Maximum number of threads; more threads than processors only need more memory. */
const threads = new ThreadSemaphore(3, 'documents');

/** How often the use of a thread is compared with its limits: an unpacked stream grows by some 30 MB in this time. */
const CHECK_MILLISECONDS = 100;
const MEBIBYTE = 1_048_576;

/** The work of a thread: one of the tasks of its program. */
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
 * Performs a task in a separate thread, which ends with it: a large document does not block other work, and a damaged
 * one does not crash the process. Throws a ComponentError with the problem of the document or the exceeded limit, or
 * the signal's reason.
 */
export async function inDocumentThread<Result>(
  { program, task, content }: DocumentTask,
  signal: AbortSignal,
): Promise<Result> {
  return threads.use(async () => {
    // In the same directory as this file in the sources, and as the bundle, to which the build copies it.
    const worker = new Worker(join(__dirname, `${program}-worker.cjs`), {
      workerData: { task, content, bounds: documentBounds },
      resourceLimits: { maxOldGenerationSizeMb: documentBounds.memoryMebibytes },
      // Suppresses the output of libraries about a document.
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
      rejectBeyondBounds(worker, reject, ended.signal);
      worker.once('message', ({ result, failure }: Answer<Result>) => {
        if (failure === undefined) resolve(result as Result);
        else reject(new ComponentError(failure));
      });
      worker.once('error', (error: NodeJS.ErrnoException) => reject(broken(error)));
      worker.once('exit', () => reject(new ComponentError('The document could not be read completely.')));
      if (signal.aborted) reject(signal.reason as Error);
    });
  } finally {
    ended.abort();
  }
}

/** Rejects when the thread exceeds what the limits of Node do not cover: the memory of its buffers, and its processor time. */
function rejectBeyondBounds(worker: Worker, reject: (error: Error) => void, ended: AbortSignal): void {
  const check = async () => {
    const [heap, processor] = await Promise.all([worker.getHeapStatistics(), worker.cpuUsage()]);
    if (heap.external_memory > documentBounds.bufferMebibytes * MEBIBYTE)
      reject(tooLarge(documentBounds.bufferMebibytes));
    if ((processor.user + processor.system) / 1_000 > documentBounds.processorMilliseconds)
      reject(
        new ComponentError(
          `Reading the document needed more than ${documentBounds.processorMilliseconds} ms of processor time.`,
        ),
      );
  };
  // A thread that has ended answers no more; its end is reported by its event.
  const timer = setInterval(() => void check().catch(() => undefined), CHECK_MILLISECONDS);
  ended.addEventListener('abort', () => clearInterval(timer), { once: true });
}

function tooLarge(mebibytes: number): ComponentError {
  return new ComponentError(`Reading the document needed more than ${mebibytes} MiB of memory.`);
}

function tooSlow(): ComponentError {
  return new ComponentError(`Reading the document took longer than ${documentBounds.milliseconds} ms.`);
}

function broken(error: NodeJS.ErrnoException): ComponentError {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return tooLarge(documentBounds.memoryMebibytes);
  return new ComponentError('The document could not be read completely.', error);
}

import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { beforeDeadline } from '../before-deadline';
import { DatabaseUnavailableError } from '../database';
import type { Durability } from '../durability';

const startTimeoutMilliseconds = 120_000;
const closeTimeoutMilliseconds = 10_000;

type Bytes = Uint8Array<ArrayBuffer>;

export interface EmbeddedWorkerOptions {
  /** Undefined for a database in memory, which ends with the thread. */
  readonly dataDirectory: string | undefined;
  readonly durability: Durability;
}

/** What pglite-worker.cjs says; see there. */
interface WorkerMessage {
  readonly ready?: boolean;
  readonly id?: number;
  readonly bytes?: Bytes;
  readonly failure?: string;
  readonly checkpoint?: Checkpoint;
}

/** What became of a checkpoint; they are made every 128 MiB of PostgreSQL's log. */
export interface Checkpoint {
  /** How long no statement could run; unset when it failed. */
  readonly milliseconds?: number;
  readonly failure?: string;
}

interface Waiting {
  resolve(bytes: Bytes): void;
  reject(error: Error): void;
}

/** One thread with PGlite in it, from its start to its end. Ends once; a successor is a new object. */
export class EmbeddedWorker {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ended: Promise<void>;
  #onCheckpoint: (checkpoint: Checkpoint) => void = () => undefined;
  #lastId = 0;
  #running = true;
  #endReason = '';

  /** Resolves when the database answers. */
  static async start(options: EmbeddedWorkerOptions): Promise<EmbeddedWorker> {
    // Beside this file among the sources, and beside the bundle, where the build copies it.
    const worker = new Worker(join(__dirname, 'pglite-worker.cjs'), { workerData: options });
    const started = new Promise<void>((resolve, reject) => {
      worker.once('message', ({ failure }: WorkerMessage) => {
        if (failure === undefined) resolve();
        else reject(new DatabaseUnavailableError(`The embedded database did not start: ${failure}`));
      });
      worker.once('error', reject);
      worker.once('exit', (code) => {
        reject(new DatabaseUnavailableError(`The embedded database's thread ended with code ${code}`));
      });
    });
    try {
      await beforeDeadline(started, startTimeoutMilliseconds, 'Starting the embedded database');
      return new EmbeddedWorker(worker);
    } catch (error) {
      await worker.terminate();
      throw error;
    }
  }

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (message: WorkerMessage) => {
      if (message.checkpoint) this.#onCheckpoint(message.checkpoint);
      else this.#settle(message);
    });
    this.#ended = new Promise((resolve) => {
      worker.once('error', (error) => {
        this.#fail(`The embedded database broke down: ${String(error)}`);
      });
      worker.once('exit', (code) => {
        this.#fail(`The embedded database's thread ended with code ${code}`);
        resolve();
      });
    });
  }

  get running(): boolean {
    return this.#running;
  }

  /** Why the database does not run any more. */
  get endReason(): string {
    return this.#endReason;
  }

  /** Resolves when the thread is gone, for whatever reason. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Calls `listener` after each checkpoint from now on, in the place of an earlier one. */
  onCheckpoint(listener: (checkpoint: Checkpoint) => void): void {
    this.#onCheckpoint = listener;
  }

  /** Exchanges the worker has not answered yet. */
  get unanswered(): number {
    return this.#waiting.size;
  }

  /** Answers come in the order of the calls. The deadline is the driver's: see EmbeddedConnection. */
  exchange(bytes: Bytes): Promise<Bytes> {
    return this.#request({ bytes }, [bytes.buffer]);
  }

  /** Ends the database as it should end; without an answer in time, the thread is simply stopped. */
  async close(): Promise<void> {
    if (this.#running) {
      const closed = this.#request({ close: true }, []);
      await beforeDeadline(closed, closeTimeoutMilliseconds, 'Closing the embedded database').catch(
        () => undefined,
      );
    }
    await this.terminate();
  }

  /** Like the loss of power: what is committed stays, because PostgreSQL writes its log first. */
  async terminate(): Promise<void> {
    this.#fail('The embedded database was stopped');
    await this.#worker.terminate();
  }

  #request(message: object, transfer: ArrayBuffer[]): Promise<Bytes> {
    if (!this.#running)
      return Promise.reject(new DatabaseUnavailableError('The embedded database has ended'));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, ...message }, transfer);
    });
  }

  #settle({ id = 0, bytes, failure }: WorkerMessage): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (bytes) waiting?.resolve(bytes);
    else
      waiting?.reject(
        new DatabaseUnavailableError(`The embedded database failed: ${failure ?? 'no answer'}`),
      );
  }

  #fail(reason: string): void {
    if (this.#running) this.#endReason = reason;
    this.#running = false;
    for (const { reject } of this.#waiting.values()) reject(new DatabaseUnavailableError(reason));
    this.#waiting.clear();
  }
}

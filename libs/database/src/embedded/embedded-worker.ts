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
  /** Path of an archive that a database in memory begins with; empty unless given. */
  readonly image?: string | undefined;
}

/** A message of pglite-worker.cjs; see there. */
interface WorkerMessage {
  readonly ready?: boolean;
  readonly id?: number;
  readonly bytes?: Bytes;
  readonly failure?: string;
  readonly checkpoint?: Checkpoint;
}

/** Outcome of a checkpoint. A checkpoint follows every 128 MiB of PostgreSQL's write-ahead log. */
export interface Checkpoint {
  /** How long statements were blocked; unset when the checkpoint failed. */
  readonly milliseconds?: number;
  readonly failure?: string;
}

interface PendingRequest {
  resolve(bytes: Bytes): void;
  reject(error: Error): void;
}

/** A thread that runs PGlite. It ends once; a successor is a new object. */
export class EmbeddedWorker {
  readonly #worker: Worker;
  readonly #pending = new Map<number, PendingRequest>();
  readonly #ended: Promise<void>;
  #onCheckpoint: (checkpoint: Checkpoint) => void = () => undefined;
  #lastId = 0;
  #running = true;
  #endReason = '';

  /** Resolves when the database answers. */
  static async start(options: EmbeddedWorkerOptions): Promise<EmbeddedWorker> {
    // Next to this file in the sources, and next to the bundle, where the build copies it.
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
        this.#fail(`The embedded database crashed: ${String(error)}`);
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

  /** Why the database has ended. */
  get endReason(): string {
    return this.#endReason;
  }

  /** Resolves when the thread has ended, for any reason. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Calls `listener` after each checkpoint from now on; replaces an earlier listener. */
  onCheckpoint(listener: (checkpoint: Checkpoint) => void): void {
    this.#onCheckpoint = listener;
  }

  /** Number of exchanges that the worker has not answered yet. */
  get unanswered(): number {
    return this.#pending.size;
  }

  /** Answers arrive in the order of the calls. The driver enforces the deadline: see EmbeddedConnection. */
  exchange(bytes: Bytes): Promise<Bytes> {
    return this.#request({ bytes }, [bytes.buffer]);
  }

  /** Shuts the database down; without an answer in time, stops the thread. */
  async close(): Promise<void> {
    if (this.#running) {
      const closed = this.#request({ close: true }, []);
      await beforeDeadline(closed, closeTimeoutMilliseconds, 'Closing the embedded database').catch(
        () => undefined,
      );
    }
    await this.terminate();
  }

  /** Stops the thread, as a power failure would: committed data stays, because PostgreSQL writes its log first. */
  async terminate(): Promise<void> {
    this.#fail('The embedded database was stopped');
    await this.#worker.terminate();
  }

  #request(message: object, transfer: ArrayBuffer[]): Promise<Bytes> {
    if (!this.#running)
      return Promise.reject(new DatabaseUnavailableError('The embedded database has ended'));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage({ id, ...message }, transfer);
    });
  }

  #settle({ id = 0, bytes, failure }: WorkerMessage): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (bytes) pending?.resolve(bytes);
    else
      pending?.reject(
        new DatabaseUnavailableError(`The embedded database failed: ${failure ?? 'no answer'}`),
      );
  }

  #fail(reason: string): void {
    if (this.#running) this.#endReason = reason;
    this.#running = false;
    for (const { reject } of this.#pending.values()) reject(new DatabaseUnavailableError(reason));
    this.#pending.clear();
  }
}

import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

const BEAT_MILLISECONDS = 100;

export interface WatchdogOptions {
  /** Name of the process in the log lines. */
  readonly name: string;
  /** Maximum time for which the event loop can be blocked. */
  readonly limitMilliseconds: number;
}

export interface Watchdog {
  close(): Promise<void>;
}

/**
 * Kills this process with SIGKILL when its event loop is blocked for longer than the limit, after a line on standard
 * output at half of it.
 */
export function startWatchdog({ name, limitMilliseconds }: WatchdogOptions): Watchdog {
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const timer = setInterval(() => void Atomics.add(beats, 0, 1), BEAT_MILLISECONDS);
  timer.unref();
  const worker = new Worker(join(__dirname, 'watchdog-worker.cjs'), {
    workerData: { name, beats, limitMilliseconds },
  });
  worker.unref();
  return {
    async close() {
      clearInterval(timer);
      await worker.terminate();
    },
  };
}

import type { PythonProcess } from '../process/python-process';

/** A process for a lease, and the runs that it has had. */
export interface FoundProcess {
  readonly process: PythonProcess;
  readonly runs: number;
}

interface WaitingLease {
  readonly key: string;
  readonly resolve: (found: FoundProcess) => void;
  readonly reject: (reason: unknown) => void;
}

/** The leases that wait for a process, the first one first. */
export class WaitingLeases {
  readonly #waiting = new Set<WaitingLease>();

  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Waits for a process. Rejects with the signal's reason, and after the time with the error of `late`, which is
   * asked again after as long when it returns null; it gets how often the lease has waited.
   */
  add(
    key: string,
    signal: AbortSignal,
    milliseconds: number,
    late: (waits: number) => Error | null,
  ): Promise<FoundProcess> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        this.#waiting.delete(waiting);
      };
      const waiting: WaitingLease = {
        key,
        resolve: (found) => {
          end();
          resolve(found);
        },
        reject: (reason) => {
          end();
          reject(reason as Error);
        },
      };
      const abort = (): void => waiting.reject(signal.reason);
      let waits = 0;
      const check = (): void => {
        const error = late((waits += 1));
        if (error !== null) waiting.reject(error);
        else if (this.#waiting.has(waiting)) timer = setTimeout(check, milliseconds);
      };
      let timer = setTimeout(check, milliseconds);
      this.#waiting.add(waiting);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  /** Gives a process to the first lease that waits, or to the first one with the key. Returns false without one. */
  give(found: FoundProcess, key?: string): boolean {
    for (const waiting of this.#waiting) {
      if (key !== undefined && waiting.key !== key) continue;
      waiting.resolve(found);
      return true;
    }
    return false;
  }

  rejectAll(reason: Error): void {
    for (const waiting of [...this.#waiting]) waiting.reject(reason);
  }
}

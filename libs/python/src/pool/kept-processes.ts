import type { PythonProcess } from '../process/python-process';
import type { FoundProcess } from './waiting-leases';

interface KeptProcess extends FoundProcess {
  readonly key: string;
  readonly timer: NodeJS.Timeout;
}

/** Processes that wait for the next run of the same key, for a while. The first one was kept first. */
export class KeptProcesses {
  readonly #kept = new Set<KeptProcess>();
  readonly #milliseconds: number;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  get size(): number {
    return this.#kept.size;
  }

  keep(process: PythonProcess, key: string, runs: number): void {
    const timer = setTimeout(() => this.#evict(kept), this.#milliseconds);
    timer.unref();
    const kept: KeptProcess = { process, key, runs, timer };
    this.#kept.add(kept);
  }

  /**
   * Takes the process that was kept last: its memory is in the caches of the processors, and those beyond what the runs
   * need at a time reach the end of their time.
   */
  take(key: string): FoundProcess | null {
    for (const kept of [...this.#kept].reverse()) {
      if (kept.key !== key) continue;
      this.#forget(kept);
      if (kept.process.isUsable) return kept;
    }
    return null;
  }

  /** Ends the process that was kept first. */
  evictFirst(): void {
    const [first] = this.#kept;
    if (first !== undefined) this.#evict(first);
  }

  /** Forgets a process that has ended. */
  remove(process: PythonProcess): void {
    for (const kept of this.#kept) if (kept.process === process) this.#forget(kept);
  }

  clear(): void {
    for (const kept of this.#kept) this.#forget(kept);
  }

  #evict(kept: KeptProcess): void {
    this.#forget(kept);
    kept.process.kill('it was kept long enough', 'recycled');
  }

  #forget(kept: KeptProcess): void {
    clearTimeout(kept.timer);
    this.#kept.delete(kept);
  }
}

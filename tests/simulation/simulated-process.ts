import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<SimulatedProcess>();

/** Returns the simulated process whose code is running; null in the simulation's own code. */
export function currentProcess(): SimulatedProcess | null {
  return storage.getStore() ?? null;
}

/** Runs work outside all simulated processes, as part of a server or the network. */
export function outsideProcesses<T>(work: () => T): T {
  return storage.exit(work);
}

/**
 * Simulates a process of the operating system: work that is started inside `run`, including its timers and answers,
 * belongs to it. While it is frozen, its work is suspended; once it is dead, its work never continues.
 */
export class SimulatedProcess {
  state: 'running' | 'frozen' | 'dead' = 'running';
  #suspended: (() => void)[] = [];

  constructor(
    readonly name: string,
    /** How far the clock of its machine is ahead of the simulated time. */
    readonly skewMilliseconds = 0,
  ) {}

  /** Runs work inside the process; queued while it is frozen, dropped when it is dead. */
  run(work: () => void): void {
    if (this.state === 'running') storage.run(this, work);
    else if (this.state === 'frozen') this.#suspended.push(() => storage.run(this, work));
  }

  /** Starts work inside the process and returns its result. */
  start<T>(work: () => Promise<T>): Promise<T> {
    return storage.run(this, work);
  }

  /** Resolves when the process can continue: at once, when it thaws, or never. */
  whenRunning(): Promise<void> {
    if (this.state === 'running') return Promise.resolve();
    return new Promise((resolve) => {
      if (this.state === 'frozen') this.#suspended.push(resolve);
    });
  }

  freeze(): void {
    if (this.state === 'running') this.state = 'frozen';
  }

  thaw(): void {
    if (this.state !== 'frozen') return;
    this.state = 'running';
    const suspended = this.#suspended;
    this.#suspended = [];
    for (const work of suspended) work();
  }

  kill(): void {
    this.state = 'dead';
    this.#suspended = [];
  }
}

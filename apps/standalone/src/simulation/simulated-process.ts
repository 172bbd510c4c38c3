import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<SimulatedProcess>();

/** The simulated process whose code is running; null in the simulation's own code. */
export function currentProcess(): SimulatedProcess | null {
  return storage.getStore() ?? null;
}

/** Does this as nobody's own: what a server or the network does. */
export function outsideProcesses<T>(work: () => T): T {
  return storage.exit(work);
}

/**
 * Stands for a process of the operating system: what is started inside `run`, timers and answers included, belongs to
 * it. Frozen, nothing of it goes on until it thaws; dead, nothing ever does.
 */
export class SimulatedProcess {
  state: 'running' | 'frozen' | 'dead' = 'running';
  #held: (() => void)[] = [];

  constructor(
    readonly name: string,
    /** How far the clock of its machine is ahead of everybody's. */
    readonly skewMilliseconds = 0,
  ) {}

  /** Runs this as the process' own; kept back while it is frozen. */
  run(work: () => void): void {
    if (this.state === 'running') storage.run(this, work);
    else if (this.state === 'frozen') this.#held.push(() => storage.run(this, work));
  }

  /** Starts something in the process and gives its result. */
  start<T>(work: () => Promise<T>): Promise<T> {
    return storage.run(this, work);
  }

  /** Resolves when the process may go on: at once, when it thaws, or never. */
  goOn(): Promise<void> {
    if (this.state === 'running') return Promise.resolve();
    return new Promise((resolve) => {
      if (this.state === 'frozen') this.#held.push(resolve);
    });
  }

  freeze(): void {
    if (this.state === 'running') this.state = 'frozen';
  }

  thaw(): void {
    if (this.state !== 'frozen') return;
    this.state = 'running';
    const held = this.#held;
    this.#held = [];
    for (const work of held) work();
  }

  kill(): void {
    this.state = 'dead';
    this.#held = [];
  }
}

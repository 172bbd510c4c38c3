import { currentProcess } from './simulated-process';
import type { SimulatedProcess } from './simulated-process';

type Callback = () => void;

/** Returned by setTimeout, setInterval and setImmediate. */
class SimulatedTimer {
  isOver = false;

  constructor(
    public at: number,
    public order: number,
    readonly every: number | null,
    readonly callback: Callback,
    /** The process that set the timer; null for the simulation itself. */
    readonly owner: SimulatedProcess | null,
  ) {}

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return false;
  }
}

const REPLACED = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'Date',
] as const;

/**
 * A clock that advances only on request. Replaces Date, setTimeout, setInterval and setImmediate in this test file. A
 * timer belongs to the simulated process that set it; in a process, Date shows the clock of its machine.
 */
export class SimulatedTime {
  readonly #real = Object.fromEntries(REPLACED.map((name) => [name, globalThis[name]]));
  readonly #realImmediate = globalThis.setImmediate;
  readonly #realPerformanceNow = performance.now.bind(performance);
  readonly #timers: SimulatedTimer[] = [];
  #immediates: SimulatedTimer[] = [];
  readonly #start: number;
  #now: number;
  #count = 0;

  constructor(start: number) {
    this.#start = start;
    this.#now = start;
  }

  /** Milliseconds since the epoch. */
  get now(): number {
    return this.#now;
  }

  install(): void {
    const cancel = (timer: unknown) => {
      if (timer instanceof SimulatedTimer) timer.isOver = true;
    };
    const set =
      (every: boolean) =>
      (callback: (...given: unknown[]) => void, wait = 0, ...given: unknown[]) =>
        this.#add(() => callback(...given), Math.max(1, wait), every);
    Object.assign(globalThis, {
      setTimeout: set(false),
      clearTimeout: cancel,
      setInterval: set(true),
      clearInterval: cancel,
      setImmediate: (callback: (...given: unknown[]) => void, ...given: unknown[]) =>
        this.#addImmediate(() => callback(...given)),
      clearImmediate: cancel,
      Date: this.#dateClass(),
    });
    // Replace the function and not the object, because modules hold references to the object.
    performance.now = () => this.#now - this.#start;
  }

  uninstall(): void {
    Object.assign(globalThis, this.#real);
    performance.now = this.#realPerformanceNow;
  }

  /** Removes all timers and resets the clock. */
  restart(): void {
    this.#now = this.#start;
    this.#timers.length = 0;
    this.#immediates = [];
  }

  /** Advances the clock and fires the timers that become due. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await this.settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#now = Math.max(this.#now, next.at);
      this.#fire(next);
      await this.settle();
    }
    this.#now = end;
  }

  /** Runs all work that needs no time to pass. */
  async settle(): Promise<void> {
    do {
      const due = this.#immediates;
      this.#immediates = [];
      for (const immediate of due) this.#fire(immediate);
      await new Promise<void>((resolve) => this.#realImmediate(resolve));
    } while (this.#immediates.length > 0);
  }

  #add(callback: Callback, wait: number, repeats: boolean): SimulatedTimer {
    const timer = new SimulatedTimer(
      this.#now + wait,
      (this.#count += 1),
      repeats ? wait : null,
      callback,
      currentProcess(),
    );
    this.#timers.push(timer);
    return timer;
  }

  #addImmediate(callback: Callback): SimulatedTimer {
    const timer = new SimulatedTimer(this.#now, (this.#count += 1), null, callback, currentProcess());
    this.#immediates.push(timer);
    return timer;
  }

  /** Removes and returns the first timer that is due by `end`. */
  #next(end: number): SimulatedTimer | undefined {
    let first: SimulatedTimer | undefined;
    let remaining = 0;
    for (const timer of this.#timers) {
      if (timer.isOver || timer.owner?.state === 'dead') continue;
      this.#timers[remaining] = timer;
      remaining += 1;
      if (timer.at <= end && (first === undefined || isBefore(timer, first))) first = timer;
    }
    this.#timers.length = remaining;
    if (first !== undefined) this.#timers.splice(this.#timers.indexOf(first), 1);
    return first;
  }

  #fire(timer: SimulatedTimer): void {
    const { owner, callback, every } = timer;
    if (timer.isOver || owner?.state === 'dead') return;
    // As in real life, an interval of a frozen process fires once after the thaw, not once for each missed time.
    if (owner?.state === 'frozen') return owner.run(() => this.#fire(timer));
    timer.isOver = every === null;
    if (owner === null) callback();
    else owner.run(callback);
    if (every === null || timer.isOver) return;
    timer.at = this.#now + every;
    timer.order = this.#count += 1;
    this.#timers.push(timer);
  }

  #dateClass(): DateConstructor {
    const now = () => this.#now + (currentProcess()?.skewMilliseconds ?? 0);
    return class SimulatedDate extends Date {
      constructor(...given: readonly unknown[]) {
        if (given.length === 0) super(now());
        else super(...(given as [number]));
      }

      static override now(): number {
        return now();
      }
    } as unknown as DateConstructor;
  }
}

function isBefore(left: SimulatedTimer, right: SimulatedTimer): boolean {
  return left.at === right.at ? left.order < right.order : left.at < right.at;
}

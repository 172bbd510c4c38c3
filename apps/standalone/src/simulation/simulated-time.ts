import { currentProcess } from './simulated-process';
import type { SimulatedProcess } from './simulated-process';

type Callback = () => void;

/** What setTimeout and its like give back. */
class SimulatedTimer {
  isOver = false;

  constructor(
    public at: number,
    public order: number,
    readonly every: number | null,
    readonly callback: Callback,
    /** Whose code waits; the simulation's own when null. */
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
 * A clock that stands still until it is told to go on, in place of the real one of this test file: Date, setTimeout,
 * setInterval and setImmediate. A timer belongs to the simulated process that set it, and the time that Date shows there
is that of its machine.
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
    const forget = (timer: unknown) => {
      if (timer instanceof SimulatedTimer) timer.isOver = true;
    };
    const set =
      (every: boolean) =>
      (callback: (...given: unknown[]) => void, wait = 0, ...given: unknown[]) =>
        this.#add(() => callback(...given), Math.max(1, wait), every);
    Object.assign(globalThis, {
      setTimeout: set(false),
      clearTimeout: forget,
      setInterval: set(true),
      clearInterval: forget,
      setImmediate: (callback: (...given: unknown[]) => void, ...given: unknown[]) =>
        this.#addImmediate(() => callback(...given)),
      clearImmediate: forget,
      Date: this.#dateClass(),
    });
    // Not the object: modules keep it.
    performance.now = () => this.#now - this.#start;
  }

  uninstall(): void {
    Object.assign(globalThis, this.#real);
    performance.now = this.#realPerformanceNow;
  }

  /** Forgets every timer and begins again. */
  restart(): void {
    this.#now = this.#start;
    this.#timers.length = 0;
    this.#immediates = [];
  }

  /** Lets this much time pass, and everything happen that is due in it. */
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

  /** Lets everything happen that needs no time. */
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

  /** Takes the first timer that is due by then. */
  #next(end: number): SimulatedTimer | undefined {
    let first: SimulatedTimer | undefined;
    let kept = 0;
    for (const timer of this.#timers) {
      if (timer.isOver || timer.owner?.state === 'dead') continue;
      this.#timers[kept] = timer;
      kept += 1;
      if (timer.at <= end && (first === undefined || isBefore(timer, first))) first = timer;
    }
    this.#timers.length = kept;
    if (first !== undefined) this.#timers.splice(this.#timers.indexOf(first), 1);
    return first;
  }

  #fire(timer: SimulatedTimer): void {
    const { owner, callback, every } = timer;
    if (timer.isOver || owner?.state === 'dead') return;
    // Like the real ones, an interval of a process that stood still comes once, not once for each time it missed.
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

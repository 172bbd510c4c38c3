import { isLockTimeout } from '@millrace/runs';
import type { BudgetStore, CallToReserve, EndedCall, ReservationOutcome } from '@millrace/runs';
import { backoff } from '@millrace/service';

/** Calls of one user in one statement. */
const MAXIMUM_BATCH = 100;
/** Calls of one user that wait for a statement. */
const MAXIMUM_WAITING = 10_000;
/** Users with a statement at the same time: fewer than the process has connections. */
const MAXIMUM_USERS = 3;
/** How long a settlement is tried; after that the worst case counts. */
const GIVE_UP_MILLISECONDS = 600_000;
/** How long a call waits for rows that another process has locked. */
const LOCKED_MILLISECONDS = 10_000;
const RETRY = { initialMilliseconds: 50, maximumMilliseconds: 10_000 };

export interface UserQueuesOptions {
  readonly store: Pick<BudgetStore, 'reserve' | 'settle'>;
  /** Called with settlements that are given up. */
  onLost(error: unknown, calls: number): void;
}

interface WaitingCall {
  readonly call: CallToReserve;
  readonly since: number;
  resolve(outcome: ReservationOutcome): void;
  reject(error: unknown): void;
}

interface WaitingEnd {
  readonly call: EndedCall;
  readonly since: number;
  resolve(): void;
}

interface UserQueue {
  reservations: WaitingCall[];
  settlements: WaitingEnd[];
  /** Statements in a row after which a call goes on waiting. */
  failures: number;
  isActive: boolean;
}

/**
 * Gathers what the calls of a user reserve and settle in few statements: one at a time for a user, settlements first, because they
 * make room. A user whose rows are locked delays the statements of others by the time of a lock at most.
 */
export class UserQueues {
  readonly #options: UserQueuesOptions;
  readonly #queues = new Map<string, UserQueue>();
  readonly #ready: string[] = [];
  #working = 0;
  #isClosed = false;
  #onIdle: (() => void)[] = [];

  constructor(options: UserQueuesOptions) {
    this.#options = options;
  }

  /** Rejects with the error of the statement. */
  reserve(userId: string, call: CallToReserve): Promise<ReservationOutcome> {
    const queue = this.#queueOf(userId);
    if (queue.reservations.length >= MAXIMUM_WAITING)
      return Promise.reject(new Error('too many calls of models wait for their reservation'));
    return new Promise((resolve, reject) => {
      queue.reservations.push({ call, since: performance.now(), resolve, reject });
      this.#activate(userId, queue);
    });
  }

  /** Resolves when the settlement is stored or given up. */
  settle(userId: string, call: EndedCall): Promise<void> {
    const queue = this.#queueOf(userId);
    if (queue.settlements.length >= MAXIMUM_WAITING) {
      this.#options.onLost(new Error('too many calls of models wait for their settlement'), 1);
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      queue.settlements.push({ call, since: performance.now(), resolve });
      this.#activate(userId, queue);
    });
  }

  /** Stores what waits; settlements are tried once more only. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [userId, queue] of this.#queues) this.#activate(userId, queue);
    if (this.#queues.size > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  #queueOf(userId: string): UserQueue {
    const queue = this.#queues.get(userId) ?? {
      reservations: [],
      settlements: [],
      failures: 0,
      isActive: false,
    };
    this.#queues.set(userId, queue);
    return queue;
  }

  #activate(userId: string, queue: UserQueue): void {
    if (queue.isActive) return;
    queue.isActive = true;
    this.#ready.push(userId);
    // Calls that begin in this turn of the event loop share the statement.
    setImmediate(() => this.#work());
  }

  #work(): void {
    while (this.#working < MAXIMUM_USERS) {
      const userId = this.#ready.shift();
      const queue = userId === undefined ? undefined : this.#queues.get(userId);
      if (userId === undefined || queue === undefined) return;
      this.#working += 1;
      void this.#serve(userId, queue).finally(() => {
        this.#working -= 1;
        this.#goOn(userId, queue);
        this.#work();
      });
    }
  }

  /** Never rejects. */
  async #serve(userId: string, queue: UserQueue): Promise<void> {
    if (queue.settlements.length > 0) await this.#settleSome(queue);
    if (queue.reservations.length > 0) await this.#reserveSome(userId, queue);
  }

  async #reserveSome(userId: string, queue: UserQueue): Promise<void> {
    const batch = queue.reservations.splice(0, MAXIMUM_BATCH);
    try {
      const calls = batch.map(({ call }) => call);
      const outcomes = await this.#options.store.reserve(userId, calls);
      queue.failures = 0;
      batch.forEach(({ resolve }, index) => resolve(outcomes[index] ?? 'free'));
    } catch (error) {
      const now = performance.now();
      const waits = ({ since }: WaitingCall) =>
        isLockTimeout(error) && !this.#isClosed && now - since < LOCKED_MILLISECONDS;
      for (const waiting of batch) if (!waits(waiting)) waiting.reject(error);
      const again = batch.filter(waits);
      if (again.length > 0) queue.failures += 1;
      queue.reservations.unshift(...again);
    }
  }

  async #settleSome(queue: UserQueue): Promise<void> {
    const batch = queue.settlements.splice(0, MAXIMUM_BATCH);
    try {
      await this.#options.store.settle(batch.map(({ call }) => call));
      queue.failures = 0;
      for (const { resolve } of batch) resolve();
    } catch (error) {
      queue.failures += 1;
      const now = performance.now();
      const isLate = ({ since }: WaitingEnd) => this.#isClosed || now - since > GIVE_UP_MILLISECONDS;
      const late = batch.filter(isLate);
      if (late.length > 0) this.#options.onLost(error, late.length);
      for (const { resolve } of late) resolve();
      queue.settlements.unshift(...batch.filter((waiting) => !isLate(waiting)));
    }
  }

  /** After a failed statement the user waits, until the next call at most. */
  #goOn(userId: string, queue: UserQueue): void {
    queue.isActive = false;
    if (queue.reservations.length + queue.settlements.length === 0) {
      this.#queues.delete(userId);
      if (this.#queues.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    } else if (queue.failures === 0 || this.#isClosed) {
      this.#activate(userId, queue);
    } else {
      const pause = backoff({ ...RETRY, attempt: queue.failures - 1 });
      setTimeout(() => this.#activate(userId, queue), pause).unref();
    }
  }
}

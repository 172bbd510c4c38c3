import { LRUCache } from 'lru-cache';
import type { RunRecorder } from './vertex-records/run-recorder';

/**
 * Why an attempt was aborted:
 *
 * - `cancelled`: its caller or its user does not want the run any more
 * - `fenced`: another attempt owns the run
 * - `shutdown`: this executor stops
 */
export type AbortReason = 'cancelled' | 'fenced' | 'shutdown';

/** Returns why the signal of an attempt fired; null when it has not. Only AbortReasons abort such a signal. */
export function abortReasonOf(signal: AbortSignal): AbortReason | null {
  return signal.aborted ? (signal.reason as AbortReason) : null;
}

/** An attempt in flight in this process. */
export class RunningAttempt {
  readonly runId: string;
  readonly attempt: number;
  /** True when the run has a row with a lease that must be renewed. */
  readonly durable: boolean;
  /** Tells what the vertices have done so far; null before the first one, after the last one, and in a separate process. */
  recorder: Pick<RunRecorder, 'traceSoFar'> | null = null;
  readonly #abort = new AbortController();

  constructor(runId: string, attempt: number, durable: boolean) {
    this.runId = runId;
    this.attempt = attempt;
    this.durable = durable;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Why the attempt was aborted; null when it was not. */
  get abortReason(): AbortReason | null {
    return abortReasonOf(this.#abort.signal);
  }

  /** Aborts the attempt; of several reasons, the first one counts. */
  abort(reason: AbortReason): void {
    this.#abort.abort(reason);
  }
}

/** All in-flight attempts, by run id, and the runs that were cancelled before their attempt. */
export class RunningAttempts {
  readonly #attempts = new Map<string, RunningAttempt>();
  /** The newest ones, for ten minutes. Bounded by size, because `max` would allocate memory for all entries at once. */
  readonly #cancelledRuns = new LRUCache<string, true>({
    maxSize: 10_000,
    sizeCalculation: () => 1,
    ttl: 600_000,
  });

  get size(): number {
    return this.#attempts.size;
  }

  get(runId: string): RunningAttempt | undefined {
    return this.#attempts.get(runId);
  }

  /** Registers an attempt as in flight, so that cancellations and heartbeats reach it; also an earlier cancellation. */
  add(attempt: RunningAttempt): void {
    const { runId, durable } = attempt;
    this.#attempts.set(runId, attempt);
    // The row of a durable run has the cancellation: the claim and the heartbeats read it.
    if (!durable && this.#cancelledRuns.has(runId)) attempt.abort('cancelled');
  }

  remove(attempt: RunningAttempt): void {
    if (this.#attempts.get(attempt.runId) === attempt) this.#attempts.delete(attempt.runId);
  }

  /** Cancels the attempt of a run: the one in flight, else the one that begins next. */
  cancel(runId: string): void {
    if (!this.abort(runId, 'cancelled')) this.#cancelledRuns.set(runId, true);
  }

  /** Aborts an attempt if it is in flight; returns whether it was. */
  abort(runId: string, reason: AbortReason): boolean {
    const attempt = this.#attempts.get(runId);
    attempt?.abort(reason);
    return attempt !== undefined;
  }

  abortAll(reason: AbortReason): void {
    for (const attempt of this.#attempts.values()) attempt.abort(reason);
  }

  durable(): RunningAttempt[] {
    return [...this.#attempts.values()].filter((attempt) => attempt.durable);
  }
}

/** Capacity for one run. Releasing it twice has no effect. */
export interface Slot {
  release(): void;
}

/**
 * What a run needs: `exclusive` is all slots, `shared` any slot, `unreserved` any slot that is not reserved for runs
 * with a waiting caller.
 */
export type SlotKind = 'exclusive' | 'shared' | 'unreserved';

interface Waiter {
  readonly kind: SlotKind;
  readonly owner: string;
  /** The round in which it is its owner's turn. */
  readonly round: number;
  readonly resolve: (slot: Slot | null) => void;
}

/** The round of the waiting run that was served last, and the owners that were served in it. */
interface Turns {
  round: number;
  readonly served: Set<string>;
}

/** A quarter of the slots is reserved for runs with a waiting caller: at least one, if there are two or more. */
const RESERVED_SHARE = 1 / 4;

/**
 * Slots for runs. Most runs share them; a run that may crash its process takes all of them, so that no other run is
 * lost. Owners take turns: each round grants one slot to each owner with a waiting run, and runs that wait for an
 * unreserved slot, which runs with a waiting caller overtake, have turns of their own. While a run waits for exclusive slots,
 * later runs wait behind it.
 */
export class Slots {
  /** Maximum number of slots. */
  readonly size: number;
  readonly #waiting: Waiter[] = [];
  #limit: number;
  #backgroundLimit: number;
  #callersServed = 0;
  #taken = 0;
  #takenUnreserved = 0;
  #isExclusive = false;
  readonly #callers: Turns = { round: 0, served: new Set() };
  readonly #background: Turns = { round: 0, served: new Set() };

  constructor(size: number) {
    this.size = size;
    this.#limit = size;
    this.#backgroundLimit = size;
  }

  /** Number of slots that can be in use. When it is lowered, slots in use stay in use. */
  get limit(): number {
    return this.#limit;
  }

  set limit(limit: number) {
    this.#limit = limit;
    this.#serve();
  }

  /** Number of slots that runs without a waiting caller can use, unless fewer are not reserved. */
  get backgroundLimit(): number {
    return this.#backgroundLimit;
  }

  set backgroundLimit(limit: number) {
    this.#backgroundLimit = limit;
    this.#serve();
  }

  /** How many runs with a waiting caller got a slot so far. */
  get callersServed(): number {
    return this.#callersServed;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Takes a slot for an owner's run, waiting for it if necessary; resolves to null when one of the signals fires first. */
  take(kind: SlotKind, owner: string, ...signals: readonly AbortSignal[]): Slot | Promise<Slot | null> {
    if (this.#fits(kind) && this.#waiting.every((waiter) => canOvertake(kind, waiter.kind)))
      return this.#grant(kind);
    return new Promise((resolve) => {
      if (signals.some(({ aborted }) => aborted)) return resolve(null);
      const waiter: Waiter = {
        kind,
        owner,
        round: this.#roundOf(kind, owner),
        resolve: (slot) => {
          // The signals can exist much longer than this wait.
          for (const signal of signals) signal.removeEventListener('abort', onAbort);
          resolve(slot);
        },
      };
      const onAbort = () => this.#withdraw(waiter);
      for (const signal of signals) signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.splice(this.#positionOf(waiter), 0, waiter);
    });
  }

  #turnsOf(kind: SlotKind): Turns {
    return kind === 'unreserved' ? this.#background : this.#callers;
  }

  /** Returns the first round in which no run of the owner and kind was served or waits. */
  #roundOf(kind: SlotKind, owner: string): number {
    const turns = this.#turnsOf(kind);
    // A run that is to be alone has had its turn: it gave its slot back.
    if (kind === 'exclusive') return turns.round;
    const ofKind = this.#waiting.filter((waiter) => waiter.kind === kind);
    if (ofKind.length === 0) turns.served.clear();
    const last = ofKind.findLast((waiter) => waiter.owner === owner);
    if (last !== undefined) return last.round + 1;
    return turns.served.has(owner) ? turns.round + 1 : turns.round;
  }

  #noteServed({ kind, owner, round }: Waiter): void {
    if (kind === 'exclusive') return;
    const turns = this.#turnsOf(kind);
    if (round > turns.round) turns.served.clear();
    turns.round = round;
    turns.served.add(owner);
  }

  /** Before the next round of its kind; one that is to be alone before any next round. No run gets before one of those. */
  #positionOf({ kind, round }: Waiter): number {
    const position = this.#waiting.findIndex((other) =>
      kind === 'exclusive'
        ? other.round > this.#turnsOf(other.kind).round
        : other.kind === kind && other.round > round,
    );
    return position === -1 ? this.#waiting.length : position;
  }

  #withdraw(waiter: Waiter): void {
    const position = this.#waiting.indexOf(waiter);
    if (position === -1) return;
    this.#waiting.splice(position, 1);
    waiter.resolve(null);
    this.#serve();
  }

  #fits(kind: SlotKind): boolean {
    if (this.#isExclusive) return false;
    if (kind === 'exclusive') return this.#taken === 0;
    if (this.#taken >= this.#limit) return false;
    return (
      kind === 'shared' || this.#takenUnreserved < Math.min(unreservedOf(this.#limit), this.#backgroundLimit)
    );
  }

  #grant(kind: SlotKind): Slot {
    this.#taken += 1;
    if (kind === 'unreserved') this.#takenUnreserved += 1;
    if (kind === 'shared') this.#callersServed += 1;
    this.#isExclusive = kind === 'exclusive';
    let isTaken = true;
    return {
      release: () => {
        if (!isTaken) return;
        isTaken = false;
        this.#release(kind);
      },
    };
  }

  #release(kind: SlotKind): void {
    this.#taken -= 1;
    if (kind === 'unreserved') this.#takenUnreserved -= 1;
    if (this.#taken === 0) this.#isExclusive = false;
    this.#serve();
  }

  #serve(): void {
    for (let position = 0; position < this.#waiting.length;) {
      const next = this.#waiting[position];
      if (next && this.#fits(next.kind)) {
        this.#waiting.splice(position, 1);
        this.#noteServed(next);
        next.resolve(this.#grant(next.kind));
      } else if (next?.kind === 'unreserved') position += 1;
      else return;
    }
  }
}

function unreservedOf(limit: number): number {
  return Math.max(1, limit - Math.ceil(limit * RESERVED_SHARE));
}

/** Returns whether a run can overtake a waiting one. */
function canOvertake(kind: SlotKind, waiting: SlotKind): boolean {
  return kind === 'shared' && waiting === 'unreserved';
}

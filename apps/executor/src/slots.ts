/** A place for one run. Releasing it twice is fine. */
export interface Slot {
  release(): void;
}

/**
 * What a run wants: `alone` is all slots, `shared` any of them, `spare` any but those that are kept for runs that
 * somebody waits for.
 */
export type SlotKind = 'alone' | 'shared' | 'spare';

interface Waiter {
  readonly kind: SlotKind;
  readonly resolve: (slot: Slot | null) => void;
}

/** One slot in four is kept for runs that somebody waits for, and at least one wherever there are two. */
const KEPT_SHARE = 1 / 4;

/**
 * Slots for runs. Most runs share them; one that may kill its process takes all of them, so that nobody dies with
 * it. First come, first served, with two exceptions: while a run waits to be alone, later ones wait behind it, and
 * while the others wait for a spare slot, those that somebody waits for pass them.
 */
export class Slots {
  /** How many there may be at most. */
  readonly size: number;
  readonly #waiting: Waiter[] = [];
  #limit: number;
  #spareLimit: number;
  #taken = 0;
  #takenSpare = 0;
  #alone = false;

  constructor(size: number) {
    this.size = size;
    this.#limit = size;
    this.#spareLimit = spareOf(size);
  }

  /** How many are handed out at a time. When it sinks, what is taken stays taken. */
  get limit(): number {
    return this.#limit;
  }

  set limit(limit: number) {
    this.#limit = limit;
    this.#spareLimit = spareOf(limit);
    this.#serve();
  }

  get taken(): number {
    return this.#taken;
  }

  /** Takes a slot, waiting for it if need be; null when one of the signals fires first. */
  take(kind: SlotKind, ...leaving: readonly AbortSignal[]): Slot | Promise<Slot | null> {
    if (this.#fits(kind) && this.#waiting.every((waiter) => mayPass(kind, waiter.kind)))
      return this.#hold(kind);
    return new Promise((resolve) => {
      if (leaving.some(({ aborted }) => aborted)) return resolve(null);
      const waiter: Waiter = {
        kind,
        resolve: (slot) => {
          // The signals may live much longer than this wait.
          for (const signal of leaving) signal.removeEventListener('abort', leave);
          resolve(slot);
        },
      };
      const leave = () => this.#leave(waiter);
      for (const signal of leaving) signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(waiter);
    });
  }

  #leave(waiter: Waiter): void {
    const position = this.#waiting.indexOf(waiter);
    if (position === -1) return;
    this.#waiting.splice(position, 1);
    waiter.resolve(null);
    this.#serve();
  }

  #fits(kind: SlotKind): boolean {
    if (this.#alone) return false;
    if (kind === 'alone') return this.#taken === 0;
    return this.#taken < this.#limit && (kind === 'shared' || this.#takenSpare < this.#spareLimit);
  }

  #hold(kind: SlotKind): Slot {
    this.#taken += 1;
    if (kind === 'spare') this.#takenSpare += 1;
    this.#alone = kind === 'alone';
    let isHeld = true;
    return {
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#release(kind);
      },
    };
  }

  #release(kind: SlotKind): void {
    this.#taken -= 1;
    if (kind === 'spare') this.#takenSpare -= 1;
    if (this.#taken === 0) this.#alone = false;
    this.#serve();
  }

  #serve(): void {
    for (let position = 0; position < this.#waiting.length;) {
      const next = this.#waiting[position];
      if (next && this.#fits(next.kind)) {
        this.#waiting.splice(position, 1);
        next.resolve(this.#hold(next.kind));
      } else if (next?.kind === 'spare') position += 1;
      else return;
    }
  }
}

function spareOf(limit: number): number {
  return Math.max(1, limit - Math.ceil(limit * KEPT_SHARE));
}

/** Whether a run need not wait behind another one that waits. */
function mayPass(kind: SlotKind, waiting: SlotKind): boolean {
  return kind === 'shared' && waiting === 'spare';
}

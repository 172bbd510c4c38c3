import { useSyncExternalStore } from 'react';

/**
 * The difference between the server's clock and that of this machine. Times on the pages are the server's, and each answer has
 * the server's time in whole seconds: it bounds the difference from both sides, and further answers narrow the bounds.
 */
export class ClockDifference {
  #least = -Infinity;
  #most = Infinity;

  /** Takes the `date` of an answer, and when its request was sent and the answer received. All in milliseconds. */
  add(date: number, sentAt: number, receivedAt: number): void {
    const least = date - receivedAt;
    const most = date + 1_000 - sentAt;
    // One of the clocks was set.
    const isAnother = least > this.#most || most < this.#least;
    this.#least = isAnother ? least : Math.max(this.#least, least);
    this.#most = isAnother ? most : Math.min(this.#most, most);
  }

  /** What to add to this machine's clock; 0 while the answers permit that both clocks are the same. */
  get milliseconds(): number {
    if (this.#least <= 0 && this.#most >= 0) return 0;
    return (this.#least + this.#most) / 2;
  }
}

const TICK_MILLISECONDS = 1_000;
const difference = new ClockDifference();
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** Takes the server's time from an answer. */
export function readServerTime(response: Response, sentAt: number): void {
  const date = Date.parse(response.headers.get('date') ?? '');
  if (!Number.isNaN(date)) difference.add(date, sentAt, Date.now());
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(() => {
      if (document.hidden) return;
      now = Date.now();
      for (const each of listeners) each();
    }, TICK_MILLISECONDS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Text about the server's time, with one timer for all texts of a page. A component is drawn again when its text changes. */
export function useTimeText(textAt: (now: number) => string): string {
  return useSyncExternalStore(subscribe, () => textAt(now + difference.milliseconds));
}

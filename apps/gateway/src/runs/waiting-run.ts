import type { CacheUse, RunEnd, RunFailure } from '@millrace/contracts';
import type { Delivery } from '@millrace/messaging';
import type { RequestError } from '../http/request-error';
import { FrameOrder } from '../run-events/frame-order';

/** How a run ended for whoever waits for it. */
export type RunEnding =
  /** `body` is the RunResponse as JSON, to be passed on untouched. */
  | { readonly kind: 'succeeded'; readonly body: Buffer }
  | { readonly kind: 'failed'; readonly status: RunEnd; readonly failure: RunFailure }
  /** The run may go on, but nobody will hear of it here. */
  | { readonly kind: 'lost'; readonly error: RequestError };

/** Takes the events of a streamed run: JSON objects, one a line. */
export type EventLines = (lines: Buffer, attempt: number) => void;

export interface WaitingRunOptions {
  readonly runId: string;
  readonly userId: string;
  readonly flowId: string;
  readonly sessionId: string;
  /** The HTTP request that asked for the run; null when that was an earlier one. */
  readonly requestId: string | null;
  readonly pool: string;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** True when the run has a row: it goes on without its caller, and its end can be looked up. */
  readonly durable: boolean;
  readonly onEvents: EventLines | null;
}

/** Replies hardly ever get lost: a fast run's end is asked for only when it is late. */
const LOOK_UP_MILLISECONDS = 10_000;
/** A durable run's message may have been sent again by somebody who knows of no reply address. */
const DURABLE_LOOK_UP_MILLISECONDS = 1_000;

/** A run somebody waits for, from its job being sent to its end. */
export class WaitingRun {
  readonly options: WaitingRunOptions;
  readonly ended: Promise<RunEnding>;
  readonly publishedAt = Date.now();
  /** The attempt heard of last; 0 before the first word. */
  attempt = 0;
  /** The record was reported before the answer came. */
  recorded = false;
  /** What came of the cache, when the executor said so. */
  cache: CacheUse = 'bypass';
  /** When to ask the database for its end, in case the reply got lost; milliseconds since the epoch. */
  lookUpAt: number;
  #order = new FrameOrder<Delivery>();
  #heldBytes = 0;
  #stored: RunEnding | null = null;
  #end: (ending: RunEnding) => void = () => undefined;

  constructor(options: WaitingRunOptions) {
    this.options = options;
    this.lookUpAt =
      this.publishedAt + (options.durable ? DURABLE_LOOK_UP_MILLISECONDS : LOOK_UP_MILLISECONDS);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Whether a frame is of the newest attempt heard of, or of a newer one. */
  isCurrent(attempt: number): boolean {
    if (attempt < this.attempt) return false;
    if (attempt > this.attempt) {
      this.attempt = attempt;
      this.#order = new FrameOrder();
      this.#heldBytes = 0;
      this.#stored = null;
    }
    return true;
  }

  /** The frames of the current attempt whose turn has come with this one, each once. */
  inTurn(sequence: number, frame: Delivery): Delivery[] {
    const due = this.#order.add(sequence, frame);
    if (!this.#order.hasGap) this.#heldBytes = 0;
    else if (!due.includes(frame)) this.#heldBytes += frame.body.length;
    return due;
  }

  /** The run has ended so, by its record; frames that were told before that may be on their way or lost. */
  endedBefore(ending: RunEnding): void {
    this.#stored = ending;
  }

  /** The number of the current attempt's frame that comes next. */
  get next(): number {
    return this.#order.next;
  }

  /** Whether frames of the current attempt are known to be missing, or its end is known and its last frame is not. */
  get missesFrames(): boolean {
    return this.#order.hasGap || this.#stored !== null;
  }

  /** What waits here for frames that are missing. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** The end to tell when the missing frames are gone; null when that would hide a gap. */
  get endWithoutFrames(): RunEnding | null {
    return this.#order.next === 0 && !this.#order.hasGap ? this.#stored : null;
  }

  /** Only the first ending counts. */
  end(ending: RunEnding): void {
    this.#end(ending);
  }
}

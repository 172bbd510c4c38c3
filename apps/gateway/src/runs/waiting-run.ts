import type { CacheUse, RunEnd, RunFailure } from '@millrace/contracts';
import type { RequestError } from '../http/request-error';

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
  #sequence = -1;
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
      this.#sequence = -1;
    }
    return true;
  }

  /** Whether events of the current attempt continue what came before them, and are no repetition. */
  continues(sequence: number): boolean {
    if (sequence <= this.#sequence) return false;
    this.#sequence = sequence;
    return true;
  }

  /** Only the first ending counts. */
  end(ending: RunEnding): void {
    this.#end(ending);
  }
}

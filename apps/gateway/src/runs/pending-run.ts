import type { RunRecords } from '@millrace/flow';
import type { CacheUse, RunEnd, RunFailure, DeduplicatedText } from '@millrace/messages';
import type { Delivery } from '@millrace/messaging';
import { machineTime } from '@millrace/service';
import type { Counter, Logger } from '@millrace/service';
import { FrameOrder } from './frame-order';
import type { ControlChannel } from './control-channel';
import type { RunProject } from './held-runs';

/** How a run ended for its waiting caller. */
export type RunEnding =
  /** `body` is the RunResponse as JSON, to be forwarded unchanged. */
  | { readonly kind: 'succeeded'; readonly body: Buffer | DeduplicatedText }
  | { readonly kind: 'failed'; readonly status: RunEnd; readonly failure: RunFailure }
  /** The run waits for a person. */
  | { readonly kind: 'suspended' }
  /** The run may continue, but its result will not arrive here. `error` is a RunError, or one of the message bus. */
  | { readonly kind: 'lost'; readonly error: unknown };

/** A reply of an executor, from a message of its own or from a batch. */
export type Reply = Pick<Delivery, 'type' | 'correlationId' | 'headers' | 'body'>;

/** Receives the events of a streamed run: JSON objects, one a line. */
export type EventLines = (lines: Buffer, attempt: number) => void;

export interface PendingRunOptions {
  readonly runId: string;
  readonly userId: string;
  readonly project: RunProject;
  readonly flowId: string;
  readonly sessionId: string;
  /** The HTTP request that started the run; null when an earlier request did. */
  readonly requestId: string | null;
  readonly pool: string;
  /** The flow needs Python. */
  readonly needsPython: boolean;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** True when the run has a row: it continues without its caller, and its ending can be looked up. */
  readonly durable: boolean;
  readonly onEvents: EventLines | null;
}

/** Replies are rarely lost, so the ending of an interactive run is looked up only when it is late. */
const LOOK_UP_MILLISECONDS = 10_000;
/** A durable run may have been republished without a reply queue. */
const DURABLE_LOOK_UP_MILLISECONDS = 1_000;

/** A run with a waiting caller, from the publication of its job to its ending. */
export class PendingRun {
  readonly options: PendingRunOptions;
  readonly ended: Promise<RunEnding>;
  readonly publishedAt = machineTime();
  /** Whether the job waits for its user's turn or was sent; `none` before that, and for a run that takes no turn. */
  turn: 'none' | 'held' | 'sent' | 'ended' = 'none';
  /** When the job was sent; milliseconds since the epoch, 0 before that. */
  sentAt = 0;
  /** The same object for all runs whose jobs are in one message; null for a job that has its own. */
  sharedMessage: object | null = null;
  /** The newest attempt seen; 0 before the first frame. */
  attempt = 0;
  /** Whether the run was reported as stored before its answer arrived. */
  recorded = false;
  /** How the cache was used, as reported by the executor. */
  cache: CacheUse = 'bypass';
  /** Where the time went, as reported by the executor: the header `x-timing` of the reply. */
  timing: string | null = null;
  /** What is kept of the run, as reported by the executor. */
  record: RunRecords = 'full';
  /** When to look up the ending in the database, in case the reply was lost; milliseconds since the epoch. */
  lookUpAt: number;
  #order = new FrameOrder<Reply>();
  #heldBytes = 0;
  #storedEnding: RunEnding | null = null;
  #end: (ending: RunEnding) => void = () => undefined;

  constructor(options: PendingRunOptions) {
    this.options = options;
    this.lookUpAt =
      this.publishedAt + (options.durable ? DURABLE_LOOK_UP_MILLISECONDS : LOOK_UP_MILLISECONDS);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Notes that its turn has come. */
  noteSent(): void {
    this.turn = 'sent';
    this.sentAt = machineTime();
  }

  /** Returns whether a frame belongs to the newest attempt seen, or to a newer one. */
  isCurrent(attempt: number): boolean {
    if (attempt < this.attempt) return false;
    if (attempt > this.attempt) {
      this.attempt = attempt;
      this.#order = new FrameOrder();
      this.#heldBytes = 0;
      this.#storedEnding = null;
    }
    return true;
  }

  /** Adds a frame and returns the frames of the current attempt that can now be delivered in order, each once. */
  takeInOrder(sequence: number, frame: Reply): Reply[] {
    const deliverable = this.#order.add(sequence, frame);
    if (!this.#order.hasGap) this.#heldBytes = 0;
    else if (!deliverable.includes(frame)) this.#heldBytes += frame.body.length;
    return deliverable;
  }

  /** Stores the ending from the run's record. Earlier frames may still be in transit, or lost. */
  setStoredEnding(ending: RunEnding): void {
    this.#storedEnding = ending;
  }

  /** The sequence number of the next expected frame of the current attempt. */
  get nextSequence(): number {
    return this.#order.next;
  }

  /** Whether frames of the current attempt are missing, or its ending is known but its last frame has not arrived. */
  get hasMissingFrames(): boolean {
    return this.#order.hasGap || this.#storedEnding !== null;
  }

  /** Size of the frames that are held until missing frames arrive. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** The ending to report when the missing frames are lost; null when it would hide a gap in the stream. */
  get endingWithoutFrames(): RunEnding | null {
    return this.#order.next === 0 && !this.#order.hasGap ? this.#storedEnding : null;
  }

  /** Only the first ending counts. */
  end(ending: RunEnding): void {
    this.#end(ending);
  }
}

/** An executor responds within milliseconds, unless its own connection is down as well. */
const RETRY_MILLISECONDS = 250;
/** How long to wait without progress before the frames count as lost. */
const NO_PROGRESS_MILLISECONDS = 2_000;

export interface LostFramesOptions {
  readonly control: Pick<ControlChannel, 'send'>;
  readonly logger: Logger;
  /** Counts gaps in streams by outcome. */
  readonly gaps: Counter;
  /** The missing frames can no longer be obtained. */
  onLost(run: PendingRun): void;
}

/** Requests missing frames of streamed runs from executors until they arrive or count as lost. */
export class LostFrames {
  readonly #options: LostFramesOptions;
  readonly #retries = new Map<string, NodeJS.Timeout | undefined>();

  constructor(options: LostFramesOptions) {
    this.#options = options;
  }

  /** Requests frames once, for a run that may have undetected missing frames. */
  requestOnce(run: PendingRun): void {
    const { runId } = run.options;
    const { attempt, nextSequence } = run;
    void this.#options.control.send({ kind: 'resend-frames', runId, attempt, from: nextSequence });
  }

  /** Requests frames repeatedly while any are missing. Gives up when there is no progress. */
  requestUntilComplete(run: PendingRun): void {
    if (!this.#retries.has(run.options.runId)) this.#retry(run, run.nextSequence, performance.now());
  }

  /** Stops requesting frames of a run that has ended. */
  stop(runId: string): void {
    clearTimeout(this.#retries.get(runId));
    this.#retries.delete(runId);
  }

  close(): void {
    for (const runId of [...this.#retries.keys()]) this.stop(runId);
  }

  #retry(run: PendingRun, next: number, since: number): void {
    const { runId } = run.options;
    if (!run.hasMissingFrames) {
      this.#options.gaps.add(1, { outcome: 'filled' });
      return this.stop(runId);
    }
    const now = performance.now();
    const lastProgress = run.nextSequence === next ? since : now;
    if (now - lastProgress > NO_PROGRESS_MILLISECONDS) {
      this.stop(runId);
      this.#options.gaps.add(1, { outcome: 'gone' });
      this.#options.logger.warn(
        { runId, attempt: run.attempt, from: run.nextSequence },
        'frames of a streamed run are lost',
      );
      return this.#options.onLost(run);
    }
    this.requestOnce(run);
    const again = () => this.#retry(run, run.nextSequence, lastProgress);
    this.#retries.set(runId, setTimeout(again, RETRY_MILLISECONDS));
  }
}

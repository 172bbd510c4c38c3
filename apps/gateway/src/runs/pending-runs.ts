import {
  SUSPENDED,
  AFTER_ALL_FRAMES,
  ATTEMPT_HEADER,
  CACHE_HEADER,
  readReplyBatch,
  readDeduplicatedText,
  REPLY_BATCH,
  replyTopology,
  SEQUENCE_HEADER,
  STATUS_HEADER,
  RECORD_HEADER,
  TEXTS_HEADER,
  TIMING_HEADER,
} from '@millrace/messages';
import type { BrokerNames, CacheUse, RunEnd, RunFailure } from '@millrace/messages';
import type { Consumer, Delivery, MessageBus, Verdict } from '@millrace/messaging';
import type { Counter, Logger } from '@millrace/service';
import type { ControlChannel } from './control-channel';
import type { FairQueue } from './fair-queue';
import { LostFrames, PendingRun } from './pending-run';
import type { Reply, RunEnding, PendingRunOptions } from './pending-run';
import type { PoolWatch } from './executor-pools';
import type { ReadYourWrites } from './read-your-writes';
import { RunError } from './run-error';

const DONE: Promise<Verdict> = Promise.resolve('done');
/** Replies are consumed without acknowledgement, so this limits deliveries in transit, not pending runs. */
const REPLY_PREFETCH = 1_000;
/** Maximum size of the frames of one stream that are held until missing frames arrive. */
const MAXIMUM_HELD_FRAME_BYTES = 4_194_304;

export interface PendingRunsOptions {
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly instance: string;
  readonly logger: Logger;
  readonly maximumRuns: number;
  readonly concurrencyLimit: UserConcurrencyLimit;
  readonly fairQueue: Pick<FairQueue, 'leave' | 'close'>;
  readonly pools: PoolWatch;
  readonly readYourWrites: ReadYourWrites;
  readonly control: Pick<ControlChannel, 'send'>;
  /** Counts gaps in streams by outcome. */
  readonly gaps: Counter;
}

/** Matches replies to pending runs: one reply queue for this process, one entry for each run. */
export class PendingRuns {
  readonly #options: PendingRunsOptions;
  readonly #runs = new Map<string, PendingRun>();
  readonly #deadlines = new Map<string, NodeJS.Timeout>();
  readonly #lostFrames: LostFrames;
  #replies: Consumer | null = null;

  constructor(options: PendingRunsOptions) {
    this.#options = options;
    this.#lostFrames = new LostFrames({ ...options, onLost: (run) => this.#endWithoutFrames(run) });
  }

  /** Starts to consume replies. */
  async open(): Promise<void> {
    const { bus, names, instance } = this.#options;
    await bus.provision(replyTopology(names, instance));
    this.#replies = await bus.consume(
      names.reply(instance),
      { prefetch: REPLY_PREFETCH, noAck: true },
      (delivery) => this.#receiveAll(delivery),
    );
  }

  get size(): number {
    return this.#runs.size;
  }

  /** Registers a run before its job is sent. Throws too_many_runs when the gateway is full, and too_many_callers. */
  register(options: PendingRunOptions): PendingRun {
    if (this.#runs.size >= this.#options.maximumRuns) {
      const text = 'Too many concurrent runs at this gateway. Try again soon.';
      throw new RunError('too_many_runs', text, { retryAfterSeconds: 1 });
    }
    this.#options.concurrencyLimit.enter(options.userId);
    const run = new PendingRun(options);
    this.#runs.set(options.runId, run);
    const remaining = Math.max(0, options.deadline - run.publishedAt);
    this.#deadlines.set(
      options.runId,
      setTimeout(() => this.end(options.runId, { kind: 'lost', error: deadlineExceeded() }), remaining),
    );
    return run;
  }

  /** Returns the run if it is pending here; null when it has ended or is pending elsewhere. */
  find(runId: string): PendingRun | null {
    return this.#runs.get(runId) ?? null;
  }

  /** Returns every pending run, oldest first. */
  list(): Iterable<PendingRun> {
    return this.#runs.values();
  }

  /** Ends a run for its caller, once. Returns true when it was still pending. */
  end(runId: string, ending: RunEnding): boolean {
    const run = this.remove(runId);
    run?.end(ending);
    return run !== null;
  }

  /** Ends a run with the ending in its record. A stream first gets the events that were lost in transit. */
  endStored(run: PendingRun, ending: RunEnding, attempt: number): void {
    const isCurrent = run.isCurrent(attempt);
    if (run.options.onEvents === null || ending.kind !== 'succeeded' || !isCurrent) {
      this.end(run.options.runId, ending);
      return;
    }
    run.setStoredEnding(ending);
    this.#lostFrames.requestUntilComplete(run);
  }

  /** Requests the frames after the last received one of each stream, since frames can be lost undetected. */
  requestFrames(): void {
    for (const run of this.#runs.values())
      if (run.options.onEvents !== null) this.#lostFrames.requestOnce(run);
  }

  /** Removes a run without ending it, and returns it; null when it is not pending here. */
  remove(runId: string): PendingRun | null {
    const run = this.#runs.get(runId);
    if (!run) return null;
    this.#runs.delete(runId);
    this.#options.concurrencyLimit.leave(run.options.userId);
    this.#options.fairQueue.leave(run);
    this.#lostFrames.stop(runId);
    clearTimeout(this.#deadlines.get(runId));
    this.#deadlines.delete(runId);
    return run;
  }

  /** Stops consuming replies, and ends each pending run as lost. */
  async close(): Promise<void> {
    this.#options.fairQueue.close();
    for (const runId of [...this.#runs.keys()]) this.end(runId, { kind: 'lost', error: shuttingDown() });
    this.#lostFrames.close();
    await this.#replies?.close();
  }

  #receiveAll(delivery: Delivery): Promise<Verdict> {
    if (delivery.type === REPLY_BATCH) this.#receiveBatch(delivery.body);
    else this.#receive(delivery);
    return DONE;
  }

  #receiveBatch(batch: Buffer): void {
    try {
      for (const reply of readReplyBatch(batch)) {
        // Events can wait for their reader, and would keep the whole batch in memory.
        const isKept = reply.type === 'events';
        this.#receive(isKept ? { ...reply, body: Buffer.from(reply.body) } : reply);
      }
    } catch (error) {
      this.#options.logger.error({ error, bytes: batch.length }, 'a batch of replies could not be read');
    }
  }

  #receive(delivery: Reply): void {
    try {
      if (delivery.type === 'recorded') this.#recorded(delivery);
      else if (delivery.correlationId !== undefined) {
        const run = this.#runs.get(delivery.correlationId);
        // No such run: its caller disconnected, its deadline passed, or this is a second reply to an answered run.
        if (run) this.#deliver(run, delivery);
      }
    } catch (error) {
      const { correlationId: runId, type } = delivery;
      this.#options.logger.error({ error, runId, type }, 'a reply could not be read');
    }
  }

  #deliver(run: PendingRun, delivery: Reply): void {
    const { type, headers, body } = delivery;
    this.#options.pools.markAlive(run.options.pool);
    const attempt = Number(headers[ATTEMPT_HEADER]);
    if (!run.isCurrent(attempt)) return;
    const isFailure = type === 'final' && headers[STATUS_HEADER] !== 'succeeded';
    // Without a stream there is no order to keep, and a failure is delivered at once.
    if (run.options.onEvents === null || isFailure) return this.#apply(run, delivery);
    const sequence = Number(headers[SEQUENCE_HEADER]);
    if (sequence >= AFTER_ALL_FRAMES) return this.endStored(run, { kind: 'succeeded', body }, attempt);
    for (const frame of run.takeInOrder(sequence, delivery)) this.#apply(run, frame);
    if (run.heldBytes > MAXIMUM_HELD_FRAME_BYTES) this.#endWithoutFrames(run);
    else if (run.hasMissingFrames && this.#runs.has(run.options.runId))
      this.#lostFrames.requestUntilComplete(run);
  }

  #apply(run: PendingRun, { type, headers, body }: Reply): void {
    const { runId, userId, onEvents } = run.options;
    if (type === 'events') onEvents?.(body, run.attempt);
    else if (type === 'final') {
      const end = endingOf(headers, body);
      // The end of a durable run is stored before it is reported.
      const record = headers[RECORD_HEADER];
      if (typeof record === 'string') run.record = record === 'lean' ? 'lean' : 'none';
      if (!run.recorded && !run.options.durable && record !== 'none')
        this.#options.readYourWrites.add(userId, runId);
      if (headers[CACHE_HEADER] !== undefined) run.cache = headers[CACHE_HEADER] as CacheUse;
      const timing = headers[TIMING_HEADER];
      if (typeof timing === 'string') run.timing = timing;
      this.end(runId, end);
    }
  }

  /** Ends a stream whose missing frames cannot be obtained. */
  #endWithoutFrames(run: PendingRun): void {
    this.end(run.options.runId, run.endingWithoutFrames ?? { kind: 'lost', error: eventsLost() });
  }

  #recorded({ body }: Reply): void {
    const runIds = JSON.parse(body.toString()) as readonly string[];
    for (const runId of runIds) {
      const run = this.#runs.get(runId);
      if (run) run.recorded = true;
    }
    this.#options.readYourWrites.recorded(runIds);
  }
}

function endingOf(headers: Reply['headers'], body: Buffer): RunEnding {
  const status = String(headers[STATUS_HEADER]) as RunEnd | typeof SUSPENDED;
  if (status === SUSPENDED) return { kind: 'suspended' };
  if (status === 'succeeded') {
    const layout = headers[TEXTS_HEADER];
    return {
      kind: 'succeeded',
      body: typeof layout === 'string' ? readDeduplicatedText(layout, body) : body,
    };
  }
  return { kind: 'failed', status, failure: JSON.parse(body.toString()) as RunFailure };
}

function deadlineExceeded(): RunError {
  return new RunError('deadline_exceeded', 'The run did not end within its deadline.');
}

function eventsLost(): RunError {
  const text = 'Events of the run were lost in transit.';
  return new RunError('events_lost', text, { retryAfterSeconds: 1 });
}

function shuttingDown(): RunError {
  return new RunError('shutting_down', 'The gateway is shutting down.', { retryAfterSeconds: 1 });
}

/** Limits the number of waiting callers of each user, so that one user cannot take all the capacity of a gateway. */
export class UserConcurrencyLimit {
  readonly #maximum: number;
  readonly #maximumHere: number;
  readonly #countByUser = new Map<string, number>();

  /** `maximum` is the limit of one user over all processes together. Each process grants its part, and at least one. */
  constructor(maximum: number, processes: number) {
    this.#maximum = maximum;
    this.#maximumHere = Math.max(1, Math.floor(maximum / processes));
  }

  /** Counts one more waiting caller of the user until `leave`. Throws too_many_callers when the limit is reached. */
  enter(userId: string): void {
    const count = this.#countByUser.get(userId) ?? 0;
    if (count >= this.#maximumHere) {
      const suffix =
        this.#maximumHere === this.#maximum ? '' : `, its part of ${this.#maximum} for all gateways`;
      const text = `Too many concurrent runs: this gateway allows ${this.#maximumHere} per user${suffix}.`;
      throw new RunError('too_many_callers', text, { retryAfterSeconds: 1 });
    }
    this.#countByUser.set(userId, count + 1);
  }

  leave(userId: string): void {
    const count = this.#countByUser.get(userId) ?? 0;
    if (count > 1) this.#countByUser.set(userId, count - 1);
    else this.#countByUser.delete(userId);
  }
}

import {
  AFTER_ALL_FRAMES,
  ATTEMPT_HEADER,
  CACHE_HEADER,
  replyTopology,
  SEQUENCE_HEADER,
  STATUS_HEADER,
} from '@millrace/contracts';
import type { BrokerNames, CacheUse, RunEnd, RunFailure } from '@millrace/contracts';
import type { Consumer, Delivery, MessageBus, Verdict } from '@millrace/messaging';
import type { Counter, Logger } from '@millrace/service';
import { RequestError } from '../http/request-error';
import type { ControlChannel } from './control-channel';
import { LostFrames } from './lost-frames';
import type { PoolWatch } from './pool-watch';
import type { UnrecordedRuns } from './unrecorded-runs';
import type { WaitingCallers } from './waiting-callers';
import { WaitingRun } from './waiting-run';
import type { RunEnding, WaitingRunOptions } from './waiting-run';

const DONE: Promise<Verdict> = Promise.resolve('done');
/** Replies are settled as they are sent: the bound is on what is in flight, not on what waits here. */
const REPLY_PREFETCH = 1_000;
/** What may wait in one stream for frames that are missing. */
const MAXIMUM_HELD_BYTES = 4_194_304;

export interface WaitingRoomOptions {
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly instance: string;
  readonly logger: Logger;
  readonly maximumRuns: number;
  readonly callers: WaitingCallers;
  readonly pools: PoolWatch;
  readonly unrecorded: UnrecordedRuns;
  readonly control: Pick<ControlChannel, 'send'>;
  /** Counts gaps in streams, by what became of them. */
  readonly gaps: Counter;
}

/** Where runs wait for their replies: one reply queue for this process, one entry for each run. */
export class WaitingRoom {
  readonly #options: WaitingRoomOptions;
  readonly #runs = new Map<string, WaitingRun>();
  readonly #deadlines = new Map<string, NodeJS.Timeout>();
  readonly #lost: LostFrames;
  #replies: Consumer | null = null;

  constructor(options: WaitingRoomOptions) {
    this.#options = options;
    this.#lost = new LostFrames({ ...options, onGone: (run) => this.#giveUpFrames(run) });
  }

  /** Begins to take replies. */
  async open(): Promise<void> {
    const { bus, names, instance } = this.#options;
    await bus.provision(replyTopology(names, instance));
    this.#replies = await bus.consume(
      names.reply(instance),
      { prefetch: REPLY_PREFETCH, noAck: true },
      (delivery) => this.#receive(delivery),
    );
  }

  get size(): number {
    return this.#runs.size;
  }

  /** Takes a run in before its job is sent. Throws too_many_runs when the room is full, and too_many_callers. */
  admit(options: WaitingRunOptions): WaitingRun {
    if (this.#runs.size >= this.#options.maximumRuns) {
      throw new RequestError('too_many_runs', 'Too many runs are waiting here. Try again soon.', {
        headers: { 'retry-after': '1' },
      });
    }
    this.#options.callers.enter(options.userId);
    const run = new WaitingRun(options);
    this.#runs.set(options.runId, run);
    const left = Math.max(0, options.deadline - run.publishedAt);
    this.#deadlines.set(
      options.runId,
      setTimeout(() => this.end(options.runId, { kind: 'lost', error: deadlineExceeded() }), left),
    );
    return run;
  }

  /** The run while it waits here; null when it has ended or waits elsewhere. */
  find(runId: string): WaitingRun | null {
    return this.#runs.get(runId) ?? null;
  }

  /** Every run that waits, oldest first. */
  waiting(): Iterable<WaitingRun> {
    return this.#runs.values();
  }

  /** Ends a run for its caller, once. True when it was still waiting. */
  end(runId: string, ending: RunEnding): boolean {
    const run = this.withdraw(runId);
    run?.end(ending);
    return run !== null;
  }

  /**
   * Ends a run by what its record says of this attempt. A stream gets the events first that were lost on their way.
   */
  endStored(run: WaitingRun, ending: RunEnding, attempt: number): void {
    const isCurrent = run.isCurrent(attempt);
    if (run.options.onEvents === null || ending.kind !== 'succeeded' || !isCurrent) {
      this.end(run.options.runId, ending);
      return;
    }
    run.endedBefore(ending);
    this.#lost.seek(run);
  }

  /** Frames were lost without a sign of it: asks for what came after the last one of each stream. */
  askForFrames(): void {
    for (const run of this.#runs.values()) if (run.options.onEvents !== null) this.#lost.ask(run);
  }

  /** Takes a run out that nobody waits for any more; null when it is not here. */
  withdraw(runId: string): WaitingRun | null {
    const run = this.#runs.get(runId);
    if (!run) return null;
    this.#runs.delete(runId);
    this.#options.callers.leave(run.options.userId);
    this.#lost.forget(runId);
    clearTimeout(this.#deadlines.get(runId));
    this.#deadlines.delete(runId);
    return run;
  }

  /** Stops taking replies; what still waits is told that it is lost. */
  async close(): Promise<void> {
    for (const runId of [...this.#runs.keys()]) this.end(runId, { kind: 'lost', error: shuttingDown() });
    this.#lost.close();
    await this.#replies?.close();
  }

  #receive(delivery: Delivery): Promise<Verdict> {
    try {
      if (delivery.type === 'recorded') this.#recorded(delivery);
      else if (delivery.correlationId !== undefined) {
        const run = this.#runs.get(delivery.correlationId);
        // No such run: its caller left, its deadline passed, or this is a second answer to an answered run.
        if (run) this.#deliver(run, delivery);
      }
    } catch (error) {
      const { correlationId: runId, type } = delivery;
      this.#options.logger.error({ error, runId, type }, 'a reply could not be read');
    }
    return DONE;
  }

  #deliver(run: WaitingRun, delivery: Delivery): void {
    const { type, headers, body } = delivery;
    this.#options.pools.seen(run.options.pool);
    const attempt = Number(headers[ATTEMPT_HEADER] ?? 1);
    if (!run.isCurrent(attempt)) return;
    const isFailure = type === 'final' && headers[STATUS_HEADER] !== 'succeeded';
    // Without a stream there is nothing to keep in order, and what failed is told as it is.
    if (run.options.onEvents === null || isFailure) return this.#tell(run, delivery);
    const sequence = Number(headers[SEQUENCE_HEADER] ?? 0);
    if (sequence >= AFTER_ALL_FRAMES) return this.endStored(run, { kind: 'succeeded', body }, attempt);
    for (const frame of run.inTurn(sequence, delivery)) this.#tell(run, frame);
    if (run.heldBytes > MAXIMUM_HELD_BYTES) this.#giveUpFrames(run);
    else if (run.missesFrames && this.#runs.has(run.options.runId)) this.#lost.seek(run);
  }

  #tell(run: WaitingRun, { type, headers, body }: Delivery): void {
    const { runId, userId, onEvents } = run.options;
    if (type === 'events') onEvents?.(body, run.attempt);
    else if (type === 'final') {
      const end = ending(String(headers[STATUS_HEADER]) as RunEnd, body);
      if (!run.recorded) this.#options.unrecorded.add(userId, runId);
      if (headers[CACHE_HEADER] !== undefined) run.cache = headers[CACHE_HEADER] as CacheUse;
      this.end(runId, end);
    }
  }

  /** Nobody has the frames that a stream misses. */
  #giveUpFrames(run: WaitingRun): void {
    this.end(run.options.runId, run.endWithoutFrames ?? { kind: 'lost', error: eventsLost() });
  }

  #recorded({ body }: Delivery): void {
    const runIds = JSON.parse(body.toString()) as readonly string[];
    for (const runId of runIds) {
      const run = this.#runs.get(runId);
      if (run) run.recorded = true;
    }
    this.#options.unrecorded.recorded(runIds);
  }
}

function ending(status: RunEnd, body: Buffer): RunEnding {
  if (status === 'succeeded') return { kind: 'succeeded', body };
  return { kind: 'failed', status, failure: JSON.parse(body.toString()) as RunFailure };
}

function deadlineExceeded(): RequestError {
  return new RequestError('deadline_exceeded', 'The run did not end within its deadline.');
}

function eventsLost(): RequestError {
  const text = 'Events of the run were lost on their way.';
  return new RequestError('events_lost', text, { headers: { 'retry-after': '1' } });
}

function shuttingDown(): RequestError {
  return new RequestError('shutting_down', 'The gateway is shutting down.', {
    headers: { 'retry-after': '1' },
  });
}

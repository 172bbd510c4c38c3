import {
  ATTEMPT_HEADER,
  CACHE_HEADER,
  replyTopology,
  SEQUENCE_HEADER,
  STATUS_HEADER,
} from '@millrace/contracts';
import type { BrokerNames, CacheUse, RunEnd, RunFailure } from '@millrace/contracts';
import type { Consumer, Delivery, MessageBus, Verdict } from '@millrace/messaging';
import type { Logger } from '@millrace/service';
import { RequestError } from '../http/request-error';
import type { PoolWatch } from './pool-watch';
import type { UnrecordedRuns } from './unrecorded-runs';
import type { WaitingCallers } from './waiting-callers';
import { WaitingRun } from './waiting-run';
import type { RunEnding, WaitingRunOptions } from './waiting-run';

const DONE: Promise<Verdict> = Promise.resolve('done');
/** Replies are settled as they are sent: the bound is on what is in flight, not on what waits here. */
const REPLY_PREFETCH = 1_000;

export interface WaitingRoomOptions {
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly instance: string;
  readonly logger: Logger;
  readonly maximumRuns: number;
  readonly callers: WaitingCallers;
  readonly pools: PoolWatch;
  readonly unrecorded: UnrecordedRuns;
}

/** Where runs wait for their replies: one reply queue for this process, one entry for each run. */
export class WaitingRoom {
  readonly #options: WaitingRoomOptions;
  readonly #runs = new Map<string, WaitingRun>();
  readonly #deadlines = new Map<string, NodeJS.Timeout>();
  #replies: Consumer | null = null;

  constructor(options: WaitingRoomOptions) {
    this.#options = options;
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

  /** Takes a run out that nobody waits for any more; null when it is not here. */
  withdraw(runId: string): WaitingRun | null {
    const run = this.#runs.get(runId);
    if (!run) return null;
    this.#runs.delete(runId);
    this.#options.callers.leave(run.options.userId);
    clearTimeout(this.#deadlines.get(runId));
    this.#deadlines.delete(runId);
    return run;
  }

  /** Stops taking replies; what still waits is told that it is lost. */
  async close(): Promise<void> {
    for (const runId of [...this.#runs.keys()]) this.end(runId, { kind: 'lost', error: shuttingDown() });
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

  #deliver(run: WaitingRun, { type, headers, body }: Delivery): void {
    const { runId, pool, userId, onEvents } = run.options;
    this.#options.pools.seen(pool);
    const attempt = Number(headers[ATTEMPT_HEADER] ?? 1);
    if (!run.isCurrent(attempt)) return;
    if (type === 'events') {
      if (run.continues(Number(headers[SEQUENCE_HEADER] ?? 0))) onEvents?.(body, attempt);
    } else if (type === 'final') {
      const end = ending(String(headers[STATUS_HEADER]) as RunEnd, body);
      if (!run.recorded) this.#options.unrecorded.add(userId, runId);
      if (headers[CACHE_HEADER] !== undefined) run.cache = headers[CACHE_HEADER] as CacheUse;
      this.end(runId, end);
    }
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

function shuttingDown(): RequestError {
  return new RequestError('shutting_down', 'The gateway is shutting down.', {
    headers: { 'retry-after': '1' },
  });
}

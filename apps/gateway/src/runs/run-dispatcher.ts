import type { BrokerNames, Lane } from '@millrace/contracts';
import type { RunRequest } from '@millrace/flow';
import type { KeyValueStore } from '@millrace/key-value';
import { UnconfirmedError } from '@millrace/messaging';
import type { MessageBus } from '@millrace/messaging';
import type { Acceptance, FlowReference, NewRun, RequestSeal, RunStore, UserBacklogs } from '@millrace/runs';
import { injectTraceContext, uuidv7 } from '@millrace/service';
import type { Logger, SharedClock } from '@millrace/service';
import { toRequestError } from '../http/answer-error';
import { RequestError } from '../http/request-error';
import { BrokerReturn } from './broker-return';
import type { CacheWish } from './cache-wish';
import type { ControlChannel } from './control-channel';
import type { PoolWatch } from './pool-watch';
import { publishJob } from './publish-job';
import type { WaitingRoom } from './waiting-room';
import type { EventLines, WaitingRun } from './waiting-run';

/** What a message may weigh; larger requests go to the key-value store, and the job says where. */
const LARGEST_MESSAGE_BYTES = 65_536;

export interface RunDispatcherOptions {
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly instance: string;
  readonly keyValue: KeyValueStore;
  readonly runs: RunStore;
  readonly seal: RequestSeal;
  readonly room: WaitingRoom;
  readonly pools: PoolWatch;
  readonly control: ControlChannel;
  readonly logger: Logger;
  readonly clock: SharedClock;
  readonly deadlineMilliseconds: number;
  readonly backgroundLimitMilliseconds: number;
  readonly maximumAttempts: number;
  /** Background runs of one user in one pool that may be published and not yet begun, 0 for all; the others wait for their turn. */
  readonly runsAhead: number;
  readonly backlogs: UserBacklogs;
}

export interface RunOrder {
  readonly userId: string;
  readonly flow: FlowReference;
  readonly request: RunRequest;
  /** The HTTP request that asks for the run. */
  readonly requestId: string;
  /** Nothing unless given. */
  readonly cache?: CacheWish;
  readonly onEvents: EventLines | null;
  /** Called once the run has been sent or stored: whoever waits for it does not need the request any more. */
  readonly onSent?: () => void;
}

/** Sends runs to executors, each in the way its durability asks for. */
export class RunDispatcher {
  readonly #options: RunDispatcherOptions;
  readonly #brokerReturn: BrokerReturn;

  constructor(options: RunDispatcherOptions) {
    this.#options = options;
    this.#brokerReturn = new BrokerReturn(options.bus);
  }

  /** Sends a run whose caller waits. Nothing is written down: the caller is promised an answer or an error. */
  async startFast(order: RunOrder): Promise<WaitingRun> {
    const alive = this.#readiness(order.flow.pool);
    if (alive) await alive;
    const requestText = this.#options.seal.write(order.request);
    const run = this.#enter(order, uuidv7(), false);
    const heavy =
      requestText.length > LARGEST_MESSAGE_BYTES / 3 &&
      Buffer.byteLength(requestText) > LARGEST_MESSAGE_BYTES;
    if (!heavy) this.#send(order, run, { requestText, claimCheck: null, durable: false });
    else if (await this.#checkIn(run, requestText)) {
      this.#send(order, run, { requestText: null, claimCheck: claimKey(run.options.runId), durable: false });
    } else {
      await this.#acceptWaiting(order, run, null);
      this.#send(order, run, { requestText: null, claimCheck: null, durable: true });
    }
    return run;
  }

  /**
   * Writes a run down, then sends it. When the key was used before, nothing is sent, and the id is that of the
   * earlier run.
   */
  async startDurable(
    order: RunOrder,
    dedupeKey: string | null,
  ): Promise<WaitingRun | { readonly heldBy: string }> {
    const alive = this.#readiness(order.flow.pool);
    if (alive) await alive;
    const run = this.#enter(order, uuidv7(), true);
    const holder = await this.#acceptWaiting(order, run, dedupeKey);
    if (holder !== run.options.runId) {
      this.#options.room.withdraw(run.options.runId);
      return { heldBy: holder };
    }
    this.#send(order, run, { requestText: null, claimCheck: null, durable: true });
    return run;
  }

  /** Writes a run down whose caller does not wait, and sends it. Resolves to its id once it cannot be lost. */
  async startInBackground(order: RunOrder, dedupeKey: string | null): Promise<string> {
    return this.#startUnawaited(order, 'background', dedupeKey, null);
  }

  /** The same for a run whose events are kept; in the interactive lane somebody follows it from the start. */
  async startFollowed(order: RunOrder, lane: Lane, dedupeKey: string | null): Promise<string> {
    const alive = lane === 'interactive' ? this.#readiness(order.flow.pool) : undefined;
    if (alive) await alive;
    return this.#startUnawaited(order, lane, dedupeKey, this.#options.names.runEvents);
  }

  async #startUnawaited(
    order: RunOrder,
    lane: Lane,
    dedupeKey: string | null,
    replyTo: string | null,
  ): Promise<string> {
    const { bus, names, runs, backlogs, logger, deadlineMilliseconds } = this.#options;
    if (lane === 'background') this.#refuseMore(order.userId);
    const runId = uuidv7();
    const run = this.#newRun(order, runId, lane, dedupeKey);
    const { holder, waits } = await this.#admit(run);
    if (waits && holder === runId) backlogs.grow(order.userId);
    if (holder !== runId || waits) return holder;
    const deadline = lane === 'interactive' ? Date.now() + deadlineMilliseconds : null;
    const job = { ...this.#job(order, runId, deadline), lane, durable: true, claimCheck: null };
    // The row is the truth: what cannot be sent now is sent by the sweeper.
    publishJob(bus, names, { job, requestText: null, replyTo })
      .then(() => runs.markQueued([runId]))
      .catch((error: unknown) => logger.warn({ error, runId }, 'a run was accepted but not sent'));
    return runId;
  }

  #refuseMore(userId: string): void {
    const refusal = this.#options.backlogs.refusal(userId);
    if (!refusal) return;
    const headers = { 'retry-after': String(refusal.retryAfterSeconds) };
    throw new RequestError('too_many_waiting', refusal.text, { headers });
  }

  #readiness(pool: string): Promise<void> | undefined {
    const { bus, pools } = this.#options;
    return bus.state === 'connected' ? pools.ready(pool) : this.#readinessAfterReturn(pool);
  }

  async #readinessAfterReturn(pool: string): Promise<void> {
    if (await this.#brokerReturn.isBack()) return this.#options.pools.ready(pool);
    throw new RequestError('broker_unavailable', 'The message broker is not available.', {
      headers: { 'retry-after': '1' },
    });
  }

  #enter(
    { userId, flow, request, requestId, onEvents }: RunOrder,
    runId: string,
    durable: boolean,
  ): WaitingRun {
    return this.#options.room.admit({
      runId,
      userId,
      flowId: flow.id,
      sessionId: request.sessionId,
      requestId,
      pool: flow.pool,
      deadline: Date.now() + this.#options.deadlineMilliseconds,
      durable,
      onEvents,
    });
  }

  #send(
    order: RunOrder,
    run: WaitingRun,
    how: {
      readonly requestText: string | null;
      readonly claimCheck: string | null;
      readonly durable: boolean;
    },
  ): void {
    const { bus, names, instance, room, runs, control, logger } = this.#options;
    const { runId, deadline } = run.options;
    const job = {
      ...this.#job(order, runId, deadline),
      lane: 'interactive' as const,
      durable: how.durable,
      claimCheck: how.claimCheck,
    };
    const sent = publishJob(bus, names, {
      job,
      requestText: how.requestText,
      replyTo: names.reply(instance),
    });
    if (how.durable) {
      sent
        .then(() => runs.markQueued([runId]))
        .catch((error: unknown) => logger.warn({ error, runId }, 'a durable run was not sent at once'));
    } else {
      sent.catch((error: unknown) => {
        const wasWaiting = room.end(runId, { kind: 'lost', error: toRequestError(error) });
        // The job may be there all the same: its caller is told to try again, so it must not run beside that.
        if (wasWaiting && error instanceof UnconfirmedError) {
          void control.send({ kind: 'cancel', runId, reason: 'the broker did not confirm it' });
        }
      });
    }
  }

  #job({ userId, flow, requestId, cache }: RunOrder, runId: string, deadline: number | null) {
    const acceptedAt = Date.now();
    const { clock } = this.#options;
    return {
      runId,
      pool: flow.pool,
      flowId: flow.id,
      flowVersion: flow.version,
      userId,
      deadline,
      acceptedAt,
      ...(deadline !== null &&
        clock.isShared && { databaseDeadline: Math.round(clock.now() + deadline - acceptedAt) }),
      requestId,
      ...(typeof cache === 'object' && cache !== null ? { cache } : {}),
    };
  }

  async #checkIn(run: WaitingRun, requestText: string): Promise<boolean> {
    const { keyValue, logger } = this.#options;
    const ttlMilliseconds = Math.max(1, run.options.deadline - Date.now());
    try {
      return await keyValue.set(claimKey(run.options.runId), requestText, { ttlMilliseconds });
    } catch (error) {
      logger.warn(
        { error, runId: run.options.runId },
        'a large request goes to the database: the key-value store is away',
      );
      return false;
    }
  }

  /** Writes down a run that waits here already; nobody waits for it when that fails. */
  async #acceptWaiting(order: RunOrder, run: WaitingRun, dedupeKey: string | null): Promise<string> {
    try {
      return (await this.#accept(this.#newRun(order, run.options.runId, 'interactive', dedupeKey))).holder;
    } catch (error) {
      this.#options.room.withdraw(run.options.runId);
      throw error;
    }
  }

  async #accept(run: NewRun): Promise<Acceptance> {
    const holders = await this.#options.runs.accept([run]);
    return { holder: holders.get(run.id) ?? run.id, waits: false };
  }

  /** A run that waits for its turn is published by whoever gives it that. */
  async #admit(run: NewRun): Promise<Acceptance> {
    const { runs, runsAhead } = this.#options;
    const acceptances = await runs.admit([run], { ahead: runsAhead });
    return acceptances.get(run.id) ?? { holder: run.id, waits: false };
  }

  #newRun(order: RunOrder, runId: string, lane: Lane, dedupeKey: string | null): NewRun {
    const { deadlineMilliseconds, backgroundLimitMilliseconds, maximumAttempts } = this.#options;
    const { userId, flow, request, requestId } = order;
    const traced: Record<string, unknown> = {};
    injectTraceContext(traced);
    const { traceparent } = traced;
    return {
      id: runId,
      flowId: flow.id,
      flowVersion: flow.version,
      userId,
      lane,
      pool: flow.pool,
      origin: request.form === 'advanced' ? 'advanced' : 'run',
      request,
      sessionId: request.sessionId,
      dedupeKey,
      limitMilliseconds: lane === 'background' ? backgroundLimitMilliseconds : deadlineMilliseconds,
      maximumAttempts,
      retry: lane === 'background' ? (flow.settings.retry ?? null) : null,
      isLimited: flow.settings.concurrency !== undefined,
      traceparent: typeof traceparent === 'string' ? traceparent : null,
      requestId,
    };
  }
}

function claimKey(runId: string): string {
  return `claim:${runId}`;
}

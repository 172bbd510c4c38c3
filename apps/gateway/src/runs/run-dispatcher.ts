import type { BrokerNames, Lane } from '@millrace/contracts';
import type { RunRequest } from '@millrace/flow';
import { HttpError } from '@millrace/http';
import type { KeyValueStore } from '@millrace/key-value';
import { UnconfirmedError } from '@millrace/messaging';
import type { MessageBus } from '@millrace/messaging';
import type { Acceptance, FlowReference, NewRun, RequestSeal, RunStore, UserBacklogs } from '@millrace/runs';
import { activeTraceparent, machineTime, uuidv7 } from '@millrace/service';
import type { Logger, SharedClock } from '@millrace/service';
import { toHttpError } from '../http/answer-error';
import { BrokerReconnection } from './broker-reconnection';
import type { RequestedCachePolicy } from './requested-cache-policy';
import type { ControlChannel } from './control-channel';
import type { PoolWatch } from './pool-watch';
import { publishJob } from './publish-job';
import type { PendingRuns } from './pending-runs';
import type { EventLines, PendingRun } from './pending-run';

/** Maximum size of a request in a message. Larger requests go to the key-value store, and the job refers to them. */
const MAXIMUM_MESSAGE_BYTES = 65_536;

export interface RunDispatcherOptions {
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly instance: string;
  readonly keyValue: KeyValueStore;
  readonly runs: RunStore;
  readonly seal: RequestSeal;
  readonly pendingRuns: PendingRuns;
  readonly pools: PoolWatch;
  readonly control: ControlChannel;
  readonly logger: Logger;
  readonly clock: SharedClock;
  readonly deadlineMilliseconds: number;
  readonly backgroundLimitMilliseconds: number;
  readonly maximumAttempts: number;
  /**
   * Limit of published background runs of one user in one pool that have not started; 0 for no limit. The rest stay in
   * the backlog.
   */
  readonly publishedRunsPerUser: number;
  readonly backlogs: UserBacklogs;
}

export interface RunOrder {
  readonly userId: string;
  readonly flow: FlowReference;
  readonly request: RunRequest;
  /** The HTTP request that asks for the run. */
  readonly requestId: string;
  /** No policy unless given. */
  readonly cache?: RequestedCachePolicy;
  readonly onEvents: EventLines | null;
  /** Called once the run has been sent or stored, so that the request can be released. */
  readonly onSent?: () => void;
}

/** Sends interactive and durable runs to executors. */
export class RunDispatcher {
  readonly #options: RunDispatcherOptions;
  readonly #brokerReconnection: BrokerReconnection;

  constructor(options: RunDispatcherOptions) {
    this.#options = options;
    this.#brokerReconnection = new BrokerReconnection(options.bus);
  }

  /** Sends an interactive run. Nothing is stored first; the caller gets an answer or an error. */
  async startInteractive(order: RunOrder): Promise<PendingRun> {
    const readiness = this.#readiness(order.flow.pool);
    if (readiness) await readiness;
    const requestText = this.#options.seal.write(order.request);
    const run = this.#register(order, uuidv7(), false);
    const isLarge =
      requestText.length > MAXIMUM_MESSAGE_BYTES / 3 &&
      Buffer.byteLength(requestText) > MAXIMUM_MESSAGE_BYTES;
    if (!isLarge) this.#send(order, run, { requestText, claimCheck: null, durable: false });
    else if (await this.#storePayload(run, requestText)) {
      this.#send(order, run, {
        requestText: null,
        claimCheck: payloadKey(run.options.runId),
        durable: false,
      });
    } else {
      await this.#acceptPending(order, run, null);
      this.#send(order, run, { requestText: null, claimCheck: null, durable: true });
    }
    return run;
  }

  /**
   * Stores a run, then sends it. When the key was used before, sends nothing and resolves to the id of the earlier run.
   */
  async startDurable(
    order: RunOrder,
    dedupeKey: string | null,
  ): Promise<PendingRun | { readonly canonicalRunId: string }> {
    const readiness = this.#readiness(order.flow.pool);
    if (readiness) await readiness;
    const run = this.#register(order, uuidv7(), true);
    const canonicalRunId = await this.#acceptPending(order, run, dedupeKey);
    if (canonicalRunId !== run.options.runId) {
      this.#options.pendingRuns.remove(run.options.runId);
      return { canonicalRunId };
    }
    this.#send(order, run, { requestText: null, claimCheck: null, durable: true });
    return run;
  }

  /** Stores a run without a waiting caller, then sends it. Resolves to its id once it is stored. */
  async startInBackground(order: RunOrder, dedupeKey: string | null): Promise<string> {
    return this.#startWithoutCaller(order, 'background', dedupeKey, null);
  }

  /**
   * Like `startInBackground`, for a run whose events are stored. In the interactive lane a caller follows it at once.
   */
  async startFollowed(order: RunOrder, lane: Lane, dedupeKey: string | null): Promise<string> {
    const readiness = lane === 'interactive' ? this.#readiness(order.flow.pool) : undefined;
    if (readiness) await readiness;
    return this.#startWithoutCaller(order, lane, dedupeKey, this.#options.names.runEvents);
  }

  async #startWithoutCaller(
    order: RunOrder,
    lane: Lane,
    dedupeKey: string | null,
    replyTo: string | null,
  ): Promise<string> {
    const { bus, names, runs, backlogs, logger, deadlineMilliseconds } = this.#options;
    if (lane === 'background') this.#refuseOverBacklogLimit(order.userId);
    const runId = uuidv7();
    const run = this.#newRun(order, runId, lane, dedupeKey);
    const { canonicalRunId, waits } = await this.#admit(run);
    if (waits && canonicalRunId === runId) backlogs.increment(order.userId);
    if (canonicalRunId !== runId || waits) return canonicalRunId;
    const deadline = lane === 'interactive' ? machineTime() + deadlineMilliseconds : null;
    const job = { ...this.#job(order, runId, deadline), lane, durable: true, claimCheck: null };
    // The row is the source of truth: if publishing fails, the sweeper publishes the run.
    publishJob(bus, names, { job, requestText: null, replyTo })
      .then(() => runs.markQueued([runId]))
      .catch((error: unknown) =>
        logger.warn({ error, runId }, 'an accepted run could not be published; the sweeper will publish it'),
      );
    return runId;
  }

  #refuseOverBacklogLimit(userId: string): void {
    const refusal = this.#options.backlogs.refusal(userId);
    if (!refusal) return;
    const headers = { 'retry-after': String(refusal.retryAfterSeconds) };
    throw new HttpError('too_many_waiting', refusal.text, { headers });
  }

  #readiness(pool: string): Promise<void> | undefined {
    const { bus, pools } = this.#options;
    return bus.state === 'connected' ? pools.ready(pool) : this.#readinessAfterReconnection(pool);
  }

  async #readinessAfterReconnection(pool: string): Promise<void> {
    if (await this.#brokerReconnection.waitForConnection()) return this.#options.pools.ready(pool);
    throw new HttpError('broker_unavailable', 'The message broker is not available.', {
      headers: { 'retry-after': '1' },
    });
  }

  #register(
    { userId, flow, request, requestId, onEvents }: RunOrder,
    runId: string,
    durable: boolean,
  ): PendingRun {
    return this.#options.pendingRuns.register({
      runId,
      userId,
      flowId: flow.id,
      sessionId: request.sessionId,
      requestId,
      pool: flow.pool,
      deadline: machineTime() + this.#options.deadlineMilliseconds,
      durable,
      onEvents,
    });
  }

  #send(
    order: RunOrder,
    run: PendingRun,
    mode: {
      readonly requestText: string | null;
      readonly claimCheck: string | null;
      readonly durable: boolean;
    },
  ): void {
    const { bus, names, instance, pendingRuns, runs, control, logger } = this.#options;
    const { runId, deadline } = run.options;
    const job = {
      ...this.#job(order, runId, deadline),
      lane: 'interactive' as const,
      durable: mode.durable,
      claimCheck: mode.claimCheck,
    };
    const sent = publishJob(bus, names, {
      job,
      requestText: mode.requestText,
      replyTo: names.reply(instance),
    });
    if (mode.durable) {
      sent
        .then(() => runs.markQueued([runId]))
        .catch((error: unknown) =>
          logger.warn({ error, runId }, 'a durable run could not be published; the sweeper will publish it'),
        );
    } else {
      sent.catch((error: unknown) => {
        const wasPending = pendingRuns.end(runId, { kind: 'lost', error: toHttpError(error) });
        // The job may be in the queue after all. The caller is asked to try again, so cancel this run.
        if (wasPending && error instanceof UnconfirmedError) {
          void control.send({ kind: 'cancel', runId, reason: 'the broker did not confirm the job' });
        }
      });
    }
  }

  #job({ userId, flow, requestId, cache }: RunOrder, runId: string, deadline: number | null) {
    const acceptedAt = machineTime();
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

  async #storePayload(run: PendingRun, requestText: string): Promise<boolean> {
    const { keyValue, logger } = this.#options;
    const ttlMilliseconds = Math.max(1, run.options.deadline - machineTime());
    try {
      return await keyValue.set(payloadKey(run.options.runId), requestText, { ttlMilliseconds });
    } catch (error) {
      logger.warn(
        { error, runId: run.options.runId },
        'key-value store unavailable; a large request is stored in the database instead',
      );
      return false;
    }
  }

  /** Stores a run that is already pending here, and withdraws it when that fails. */
  async #acceptPending(order: RunOrder, run: PendingRun, dedupeKey: string | null): Promise<string> {
    try {
      return (await this.#accept(this.#newRun(order, run.options.runId, 'interactive', dedupeKey)))
        .canonicalRunId;
    } catch (error) {
      this.#options.pendingRuns.remove(run.options.runId);
      throw error;
    }
  }

  async #accept(run: NewRun): Promise<Acceptance> {
    const canonicalRunIds = await this.#options.runs.accept([run]);
    return { canonicalRunId: canonicalRunIds.get(run.id) ?? run.id, waits: false };
  }

  /** Stores a run or adds it to the user's backlog. A backlog run is published when it is released. */
  async #admit(run: NewRun): Promise<Acceptance> {
    const { runs, publishedRunsPerUser } = this.#options;
    const acceptances = await runs.admit([run], { publishedPerUser: publishedRunsPerUser });
    return acceptances.get(run.id) ?? { canonicalRunId: run.id, waits: false };
  }

  #newRun(order: RunOrder, runId: string, lane: Lane, dedupeKey: string | null): NewRun {
    const { deadlineMilliseconds, backgroundLimitMilliseconds, maximumAttempts } = this.#options;
    const { userId, flow, request, requestId } = order;
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
      traceparent: activeTraceparent(),
      requestId,
    };
  }
}

function payloadKey(runId: string): string {
  return `claim:${runId}`;
}

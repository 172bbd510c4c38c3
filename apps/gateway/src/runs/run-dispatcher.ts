import type { BacklogLimits } from '@millrace/access';
import type { Job, Lane } from '@millrace/messages';
import { newRun, withinFlowDeadline } from '@millrace/dispatch';
import { recordSettingsOf } from '@millrace/flow';
import type { RunRecords } from '@millrace/flow';
import type { KeyValueStore } from '@millrace/key-value';
import { UnconfirmedError } from '@millrace/messaging';
import type { MessageBus } from '@millrace/messaging';
import type { Acceptance, NewRun, RequestSeal, RunStore, UserBacklogs } from '@millrace/runs';
import { machineTime, uuidv7 } from '@millrace/service';
import type { Logger, SharedClock } from '@millrace/service';
import { BrokerReconnection } from './broker-reconnection';
import type { ControlChannel } from './control-channel';
import type { PendingRun } from './pending-run';
import type { PendingRuns } from './pending-runs';
import type { PoolWatch } from './executor-pools';
import type { FairQueue } from './fair-queue';
import { projectOf } from './held-runs';
import { JobPublisher } from './job-publisher';
import type { GatewayJob, JobPublisherOptions } from './job-publisher';
import { brokerUnavailable, RunError } from './run-error';
import type { RunPool } from './run-error';
import type { RunOrder } from './run-order';
import { startModes } from './start-modes';
import { unrecordedRunId } from './unrecorded-run-id';
import type { StartMode, StoredMode } from './start-modes';

/** Maximum size of a request in a message. Larger requests go to the key-value store, and the job refers to them. */
const MAXIMUM_MESSAGE_BYTES = 65_536;

export interface RunDispatcherOptions extends JobPublisherOptions {
  readonly bus: MessageBus;
  readonly instance: string;
  readonly keyValue: KeyValueStore;
  readonly runs: RunStore;
  readonly seal: RequestSeal;
  readonly pendingRuns: PendingRuns;
  readonly fairQueue: Pick<FairQueue, 'enter' | 'sent' | 'isFast'>;
  readonly pools: PoolWatch;
  readonly control: ControlChannel;
  readonly logger: Logger;
  readonly clock: SharedClock;
  /** What is kept of a run whose flow does not say so. */
  readonly runRecords: RunRecords;
  readonly deadlineMilliseconds: number;
  readonly backgroundLimitMilliseconds: number;
  readonly maximumAttempts: number;
  /**
   * Limit of published background runs of one user in one pool that have not started; 0 for no limit. The rest stay in
   * the backlog.
   */
  readonly publishedRunsPerUser: number;
  readonly backlogs: UserBacklogs;
  readonly backlogLimits: Pick<BacklogLimits, 'store'>;
}

/** A run that was started, or the earlier one that has its key. */
export interface StartedRun {
  readonly runId: string;
  /** Null when no caller waits in this mode, and for an earlier run. */
  readonly pendingRun: PendingRun | null;
}

/** Where an executor finds the request of a run; both null when it is in the row. */
interface RequestPlace {
  readonly requestText: string | null;
  readonly claimCheck: string | null;
}

const IN_ROW: RequestPlace = { requestText: null, claimCheck: null };

/** Sends interactive and durable runs to executors. */
export class RunDispatcher {
  readonly #options: RunDispatcherOptions;
  readonly #brokerReconnection: BrokerReconnection;
  readonly #jobs: JobPublisher;

  constructor(options: RunDispatcherOptions) {
    this.#options = options;
    this.#brokerReconnection = new BrokerReconnection(options.bus);
    this.#jobs = new JobPublisher(options);
  }

  /** Sends an interactive run. Nothing is stored first; the caller gets an answer or an error. */
  async startInteractive(order: RunOrder): Promise<PendingRun> {
    refusePaused(order);
    const readiness = this.#readiness(order.flow);
    if (readiness) await readiness;
    const requestText = this.#options.seal.write(order.request);
    const runId = this.#runRecords(order.flow) === 'none' ? unrecordedRunId() : uuidv7();
    const run = this.#register(order, runId, 'interactive');
    const isLarge =
      requestText.length > MAXIMUM_MESSAGE_BYTES / 3 &&
      Buffer.byteLength(requestText) > MAXIMUM_MESSAGE_BYTES;
    if (isLarge) await this.#startLarge(order, run, requestText);
    else this.#sendInTurn(order, run, { requestText, claimCheck: null });
    return run;
  }

  /** Sends a run whose request exceeds a message: by a claim check, or as a durable run if that cannot be stored. */
  async #startLarge(order: RunOrder, run: PendingRun, requestText: string): Promise<void> {
    const isStored = await this.#storePayload(run, requestText);
    if (isStored)
      return this.#sendInTurn(order, run, { requestText: null, claimCheck: payloadKey(run.options.runId) });
    await this.#storePending(order, run, null);
    void this.#publish(this.#jobOrder(order, run.options, 'durable', IN_ROW));
  }

  /**
   * Stores a run, then sends it. Resolves once it is stored. When the key was used before, sends nothing and resolves to
   * the earlier run. A run that joins the backlog is sent when it is released.
   */
  async start(order: RunOrder, mode: StoredMode, dedupeKey: string | null): Promise<StartedRun> {
    const { lane, waits } = startModes[mode];
    if (lane === 'interactive') refusePaused(order);
    // A caller waits for runs of the interactive lane.
    const readiness = lane === 'interactive' ? this.#readiness(order.flow) : undefined;
    if (readiness) await readiness;
    if (lane === 'background') this.#refuseOverBacklogLimit(order.userId);
    const runId = uuidv7();
    const pendingRun = waits ? this.#register(order, runId, mode) : null;
    const store = () => this.#store(this.#newRun(order, runId, mode, dedupeKey));
    const acceptance = await (pendingRun
      ? this.#storePending(order, pendingRun, dedupeKey)
      : lane === 'background'
        ? this.#options.backlogLimits.store(order.flow, store, (stored) => stored.canonicalRunId === runId)
        : store());
    if (acceptance.canonicalRunId !== runId) {
      if (pendingRun) this.#options.pendingRuns.remove(runId);
      return { runId: acceptance.canonicalRunId, pendingRun: null };
    }
    if (acceptance.isInBacklog) this.#options.backlogs.increment(order.userId);
    else {
      const deadline = pendingRun?.options.deadline ?? this.#deadline(order, mode);
      void this.#publish(this.#jobOrder(order, { runId, deadline }, mode, IN_ROW));
    }
    return { runId, pendingRun };
  }

  #refuseOverBacklogLimit(userId: string): void {
    const refusal = this.#options.backlogs.refusal(userId);
    if (refusal) throw new RunError('too_many_waiting', refusal.text, refusal);
  }

  #readiness(pool: RunPool): Promise<void> | undefined {
    const { bus, pools } = this.#options;
    return bus.state === 'connected' ? pools.ready(pool) : this.#readinessAfterReconnection(pool);
  }

  async #readinessAfterReconnection(pool: RunPool): Promise<void> {
    if (await this.#brokerReconnection.waitForConnection()) return this.#options.pools.ready(pool);
    throw brokerUnavailable();
  }

  #register(order: RunOrder, runId: string, mode: StartMode): PendingRun {
    const { userId, flow, request, requestId, onEvents } = order;
    return this.#options.pendingRuns.register({
      runId,
      userId,
      project: projectOf(flow),
      flowId: flow.id,
      sessionId: request.sessionId,
      requestId,
      pool: flow.pool,
      needsPython: flow.needsPython,
      deadline: machineTime() + this.limitMilliseconds(order, 'interactive'),
      durable: startModes[mode].writesRow,
      onEvents,
    });
  }

  /** Until when a caller waits or follows; null for a run in the background. Milliseconds since the epoch. */
  #deadline(order: RunOrder, mode: StartMode): number | null {
    return startModes[mode].lane === 'interactive'
      ? machineTime() + this.limitMilliseconds(order, 'interactive')
      : null;
  }

  /** How long a run can take: the shortest of the deadlines of the installation, the flow and the caller. */
  limitMilliseconds({ flow, deadlineSeconds }: RunOrder, lane: Lane): number {
    const { deadlineMilliseconds, backgroundLimitMilliseconds } = this.#options;
    const installation = lane === 'background' ? backgroundLimitMilliseconds : deadlineMilliseconds;
    const limit = withinFlowDeadline(flow, installation);
    return deadlineSeconds ? Math.min(limit, deadlineSeconds * 1_000) : limit;
  }

  /** Sends a job when it is its user's turn, without waiting for the broker. */
  #sendInTurn(order: RunOrder, run: PendingRun, place: RequestPlace): void {
    const jobOrder = this.#jobOrder(order, run.options, 'interactive', place);
    this.#options.fairQueue.enter(run, () => void this.#publish(jobOrder));
  }

  #jobOrder(
    order: RunOrder,
    { runId, deadline }: { readonly runId: string; readonly deadline: number | null },
    mode: StartMode,
    { requestText, claimCheck }: RequestPlace,
  ): GatewayJob {
    const { lane, writesRow, replyTo } = startModes[mode];
    const { batchesMessages } = this.#options;
    const job = {
      ...this.#job(order, runId, deadline),
      lane,
      durable: writesRow,
      claimCheck,
      ...(batchesMessages && replyTo === 'gateway' && { batchedReplies: 2 as const }),
    };
    const { needsPython } = order.flow;
    return { job, requestText, replyTo: this.#replyQueue(mode), needsPython };
  }

  #replyQueue(mode: StartMode): string | null {
    const { names, instance } = this.#options;
    const { replyTo } = startModes[mode];
    if (replyTo === 'gateway') return names.reply(instance);
    return replyTo === 'event-log' ? names.runEvents : null;
  }

  async #publish(order: GatewayJob): Promise<void> {
    const { runs } = this.#options;
    const { runId, durable } = order.job;
    try {
      await this.#jobs.publish(order);
      if (durable) await runs.markQueued([{ runId, attempt: 0 }]);
    } catch (error) {
      if (durable) this.#leaveToSweeper(runId, error);
      else this.#endUnsent(runId, error);
    }
  }

  #leaveToSweeper(runId: string, error: unknown): void {
    const { logger } = this.#options;
    logger.warn({ error, runId }, 'a stored run could not be published; the sweeper will publish it');
  }

  #endUnsent(runId: string, error: unknown): void {
    const { pendingRuns, control } = this.#options;
    const wasPending = pendingRuns.end(runId, { kind: 'lost', error });
    // The job may be in the queue after all. The caller is asked to try again, so cancel this run.
    if (wasPending && error instanceof UnconfirmedError) {
      void control.send({ kind: 'cancel', runId, reason: 'the broker did not confirm the job' });
    }
  }

  #job({ userId, flow, requestId, keyId, cache }: RunOrder, runId: string, deadline: number | null) {
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
      ...(keyId ? { keyId } : {}),
      ...this.#records(flow),
      ...(typeof cache === 'object' && cache !== null ? { cache } : {}),
    } satisfies Partial<Job>;
  }

  #runRecords({ settings }: RunOrder['flow']): RunRecords {
    return recordSettingsOf(settings.records)?.runs ?? this.#options.runRecords;
  }

  #records(flow: RunOrder['flow']): Pick<Job, 'records'> {
    const records = recordSettingsOf(flow.settings.records);
    if (records === null && this.#options.runRecords === 'full') return {};
    return { records: { ...records, runs: this.#runRecords(flow) } };
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
  async #storePending(order: RunOrder, run: PendingRun, dedupeKey: string | null): Promise<Acceptance> {
    try {
      return await this.#store(this.#newRun(order, run.options.runId, 'durable', dedupeKey));
    } catch (error) {
      this.#options.pendingRuns.remove(run.options.runId);
      throw error;
    }
  }

  /** Stores a run. A background run can join the user's backlog; it is then published when it is released. */
  async #store(run: NewRun): Promise<Acceptance> {
    const { runs, publishedRunsPerUser } = this.#options;
    const acceptances = await runs.admit([run], { publishedPerUser: publishedRunsPerUser });
    return acceptances.get(run.id) ?? { canonicalRunId: run.id, isInBacklog: false };
  }

  #newRun(order: RunOrder, id: string, mode: StoredMode, dedupeKey: string | null): NewRun {
    const { maximumAttempts } = this.#options;
    const { userId, flow, requestId, keyId, callback = null } = order;
    const request = keyId ? { ...order.request, keyId } : order.request;
    const { lane } = startModes[mode];
    const limitMilliseconds = this.limitMilliseconds(order, lane);
    return newRun({
      id,
      flow,
      userId,
      lane,
      request,
      dedupeKey,
      requestId,
      limitMilliseconds,
      maximumAttempts,
      callback,
    });
  }
}

function payloadKey(runId: string): string {
  return `claim:${runId}`;
}

/** Throws flow_paused. */
function refusePaused({ flow: { pauseReason } }: RunOrder): void {
  if (pauseReason !== null) throw new RunError('flow_paused', `The flow is paused: ${pauseReason}`);
}

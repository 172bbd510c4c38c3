import { setMaxListeners } from 'node:events';
import { controlTopology, JOB_BATCH, standbyTopology } from '@millrace/messages';
import type { Consumer, Delivery, Verdict } from '@millrace/messaging';
import { fixedLimits, inTraceOfMessage, machineTime, withDeadline } from '@millrace/service';
import type { Logger, Metrics } from '@millrace/service';
import { wholeRunFailure } from './attempts/run-failure';
import { isOfAnotherVersion, readJob } from './intake/read-job';
import { FlowSeries } from './attempts/vertex-records/flow-series';
import { FrozenResultCache } from '@millrace/engine';
import { FailedRunLog } from '@millrace/runs';
import { PlanCache } from './attempts/plan-cache';
import { BudgetedUsers } from './attempts/spending/budgeted-users';
import { Budgets } from './attempts/spending/budgets';
import { ResultCache } from './attempts/result-cache/result-cache';
import { RunningAttempts, Slots } from './attempts/running-attempts';
import { recordingOf } from './attempts/vertex-records/run-recorder';
import type { Recording } from './attempts/vertex-records/run-recorder';
import { UsageMetrics } from './attempts/vertex-records/model-usage';
import type { ExecutorDependencies, ExecutorLimits } from './executor-dependencies';
import { BackgroundGuard, LoadGuard } from './intake/load-guards';
import { executorControl } from './intake/control-messages';
import { handOff } from './intake/hand-off';
import { InFlightRuns } from './intake/in-flight-runs';
import { JobBatches } from './intake/job-batches';
import type { LoadGuardOptions } from './intake/load-guards';
import { Peers } from './intake/peers';
import type { DeliveredJob } from './intake/read-job';
import { Takeover } from './intake/takeover';
import { WorkerAnnouncement } from './intake/worker-announcement';
import { WorkerHeartbeat } from './intake/worker-heartbeat';
import { BegunAttempts, RunOutcomes } from './jobs/run-log';
import { DurableRuns } from './jobs/durable-runs';
import { InteractiveRuns } from './jobs/interactive-runs';
import { JobRunner } from './jobs/job-runner';
import { openRecords } from './records/open-records';
import { RunLogLines } from './jobs/run-log-lines';
import { Replies } from './replies/replies';
import { WatchedFlows } from './replies/watched-flows';

/** How long before `deadlineMilliseconds` of `close` in-flight runs are aborted: enough time to release them in order. */
const RELEASE_MARGIN_MILLISECONDS = 2_000;
/** How long before `deadlineMilliseconds` of `close` runs whose rows cannot be reached are handed off. */
const HAND_OFF_MARGIN_MILLISECONDS = 1_000;

export interface Executor {
  /** Stops taking jobs, waits this long for in-flight runs to finish, releases the rest, and closes. */
  close(options: { readonly deadlineMilliseconds: number }): Promise<void>;
}

/** A started executor, as its end needs it. */
interface StartedExecutor {
  readonly parts: ExecutorParts;
  readonly draining: AbortController;
  readonly shutdownDeadline: AbortController;
  readonly control: Consumer;
  readonly lanes: readonly Consumer[];
}

/** Starts consuming the lanes of one pool. */
export async function startExecutor(dependencies: ExecutorDependencies): Promise<Executor> {
  const draining = new AbortController();
  const shutdownDeadline = new AbortController();
  // Each delivery that waits for a slot adds a listener; the prefetch limits their number.
  setMaxListeners(0, draining.signal, shutdownDeadline.signal);
  const parts = composeExecutor({
    ...dependencies,
    draining: draining.signal,
    shutdownDeadline: shutdownDeadline.signal,
  });
  const { bus, names, worker, settings } = dependencies;

  parts.budgetedUsers.start();
  await bus.provision(standbyTopology(names, settings.MILLRACE_POOL));
  await bus.provision(controlTopology(names, worker));
  const control = await bus.consume(names.control(worker), { prefetch: 100, noAck: true }, parts.control);
  // Other executors ask only those they have discovered, so this one must be announced before it has runs.
  await parts.announcement.open();
  void parts.peers.discoverAll();
  const lanes = await consumeLanes(dependencies, parts);
  parts.heartbeat.start();
  for (const guard of parts.guards) guard.start();
  return {
    close: (options) =>
      closeExecutor({ parts, draining, shutdownDeadline, control, lanes }, options.deadlineMilliseconds),
  };
}

/** Starts consuming jobs: both lanes of the pool, its standby lane and the quarantine. */
async function consumeLanes(
  { bus, names, logger, settings: { MILLRACE_POOL: pool } }: ExecutorDependencies,
  { prefetch, replies, inFlight, jobBatches }: ExecutorParts,
): Promise<readonly Consumer[]> {
  const handle =
    (isQuarantined: boolean) =>
    (delivery: Delivery): Promise<Verdict> =>
      // Not in the span of the delivery, which is lost with the process: spans of the run keep a parent.
      inTraceOfMessage(delivery.headers, async () => {
        if (delivery.type === JOB_BATCH)
          return (await jobBatches.settle(delivery)) ?? discardMessage(delivery, replies, logger);
        const delivered = readJob(delivery, isQuarantined);
        return delivered ? inFlight.settle(delivered) : discardMessage(delivery, replies, logger);
      });
  const interactive = { prefetch: prefetch.interactive };
  return [
    await bus.consume(names.lane('interactive', pool), interactive, handle(false)),
    await bus.consume(names.lane('background', pool), { prefetch: prefetch.background }, handle(false)),
    await bus.consume(names.standbyLane(pool), interactive, handle(false)),
    await bus.consume(names.quarantineQueue, { prefetch: 1 }, handle(true)),
  ];
}

/** Ends the runs in flight, then the work that they have started, then what other executors see of this one. */
async function closeExecutor(
  { parts, draining, shutdownDeadline, control, lanes }: StartedExecutor,
  deadlineMilliseconds: number,
): Promise<void> {
  const { running, inFlight, heartbeat, guards, records, outcomes, announcement, peers } = parts;
  const { budgets, budgetedUsers } = parts;
  const releaseTimer = setTimeout(
    () => {
      shutdownDeadline.abort('shutdown');
      running.abortAll('shutdown');
    },
    Math.max(0, deadlineMilliseconds - RELEASE_MARGIN_MILLISECONDS),
  );
  const handOffTimer = setTimeout(
    () => void inFlight.handOff(),
    Math.max(0, deadlineMilliseconds - HAND_OFF_MARGIN_MILLISECONDS),
  );
  const giveUpAt = machineTime() + deadlineMilliseconds;
  const drained = Promise.all(lanes.map((lane) => lane.close({ deadlineMilliseconds })));
  draining.abort('shutdown');
  await drained;
  // Closing the lanes does not wait for runs whose messages are already settled.
  await withDeadline(
    inFlight.finished(),
    Math.max(0, giveUpAt - machineTime()),
    'runs are still in flight',
  ).catch(() => undefined);
  await heartbeat.close();
  for (const guard of guards) guard.close();
  budgetedUsers.close();
  await budgets.close();
  await records.close();
  await parts.logLines.close();
  outcomes.close();
  clearTimeout(releaseTimer);
  clearTimeout(handOffTimer);
  shutdownDeadline.abort('shutdown');
  await control.close();
  await announcement.close();
  peers.close();
}

/**
 * Discards a message that is not a job of this version. Its caller gets an error at once, unless the run has a row:
 * then the outcome comes from the row.
 */
async function discardMessage(delivery: Delivery, replies: Replies, logger: Logger): Promise<Verdict> {
  const { messageId, correlationId: runId, replyTo } = delivery;
  logger.error({ messageId, runId }, 'message dead-lettered: it is not a job of this version');
  if (runId !== undefined && !isOfAnotherVersion(delivery)) {
    const failure = wholeRunFailure('internal', 'The executor cannot read this job.');
    await replies.answer({ runId, replyTo }, 'failed', JSON.stringify(failure));
  }
  return 'discard';
}

/** Size of the in-process cache of frozen vertex results. */
const FROZEN_RESULTS_BYTES = 64 * 1024 * 1024;

/** Deliveries that are taken beyond the slots unless given: they wait for a free slot or for their record. */
const PREFETCH_AHEAD = 64;

type ExecutorParts = ReturnType<typeof composeExecutor>;

interface ComposeExecutorDependencies extends ExecutorDependencies {
  /** Fires when the executor stops taking jobs; runs that have not started are returned to the queue. */
  readonly draining: AbortSignal;
  /** Fires when the time for a graceful stop is over; no operation waits for an outage to end after that. */
  readonly shutdownDeadline: AbortSignal;
}

/** Creates all parts of an executor, and returns those that its start and its end need. */
function composeExecutor({ settings, ...opened }: ComposeExecutorDependencies) {
  const { MILLRACE_POOL: pool, MILLRACE_CONCURRENCY: concurrency } = settings;
  const logLines = new RunLogLines({ ...opened, enabled: settings.MILLRACE_VERTEX_RECORDS });
  const given = { ...opened, logger: logLines.logger };
  const dependencies = { ...given, pool, concurrency };
  const { metrics, logger, prefetchAhead = PREFETCH_AHEAD } = dependencies;
  const limits: ExecutorLimits = { ...fixedLimits, ...given.limits };
  const slots = new Slots(concurrency);
  const running = new RunningAttempts();
  logLines.watch(running);
  measureSlots({ metrics, pool, slots, running });
  const peers = new Peers(dependencies);
  const takeover = new Takeover({ ...dependencies, peers });
  const records = openRecords(dependencies);
  const replies = new Replies(dependencies);
  const watchedFlows = new WatchedFlows(dependencies);
  const failedRuns = new FailedRunLog({ logger, metrics });
  const outcomes = new RunOutcomes({
    ...dependencies,
    ...records,
    replies,
    failedRuns,
    lost: dependencies.traces?.lost,
  });
  const begun = new BegunAttempts({ ...dependencies, failedRuns });
  const usage = new UsageMetrics(metrics);
  const shared = {
    ...dependencies,
    ...records,
    slots,
    running,
    takeover,
    replies,
    watchedFlows,
    outcomes,
    begun,
    usage,
  };

  const recording = recordingOf(settings);
  const { budgets, budgetedUsers } = openBudgets(dependencies, recording);
  const runner = attemptRunner(given, { limits, recording, budgets });
  const handOffRun = (delivered: DeliveredJob, error?: unknown) => handOff(dependencies, delivered, error);
  const durable = new JobRunner(
    { ...shared, ...runner },
    new DurableRuns({ ...shared, failedRuns, handOff: handOffRun }),
  );
  const interactive = new JobRunner(
    { ...shared, ...runner },
    new InteractiveRuns({ ...shared, records: records.interactive }),
  );
  const inFlight = new InFlightRuns<DeliveredJob>({
    run: (delivered, settlement) =>
      delivered.job.durable ? durable.run(delivered, settlement) : interactive.run(delivered, settlement),
    handOff: (delivered) => handOffRun(delivered),
  });

  const jobBatches = new JobBatches({ ...dependencies, inFlight });
  const prefetch = { interactive: concurrency + prefetchAhead, background: concurrency + PREFETCH_AHEAD };
  const announcement = new WorkerAnnouncement({ ...shared, prefetch: prefetch.interactive });
  return {
    running,
    budgets,
    budgetedUsers,
    peers,
    records,
    logLines,
    replies,
    outcomes,
    inFlight,
    jobBatches,
    prefetch,
    announcement,
    heartbeat: new WorkerHeartbeat({ ...shared, announce: () => announcement.write() }),
    control: executorControl({ ...shared, peers, inFlight, budgetedUsers }),
    guards: loadGuards(limits, { slots, metrics, logger }),
  };
}

interface MeasuredSlots extends Pick<ExecutorDependencies, 'metrics'> {
  readonly pool: string;
  readonly slots: Slots;
  readonly running: RunningAttempts;
}

function measureSlots({ metrics, pool, slots, running }: MeasuredSlots): void {
  metrics.gauge('millrace_executor_runs_in_hand', 'Attempts in flight in this executor', () => running.size);
  metrics.gauge('millrace_pool_slots', 'Slots of this executor, by pool and state: busy or free', () => [
    [slots.taken, { pool, state: 'busy' }],
    [Math.max(0, slots.limit - slots.taken), { pool, state: 'free' }],
  ]);
  metrics.gauge('millrace_executor_slots_taken', 'Slots in use', () => slots.taken);
}

/** Creates what lowers the number of concurrent runs while the event loop is late. */
function loadGuards(
  { eventLoopLagMilliseconds: maximumLagMilliseconds }: ExecutorLimits,
  options: Omit<LoadGuardOptions, 'maximumLagMilliseconds'>,
): readonly (LoadGuard | BackgroundGuard)[] {
  if (maximumLagMilliseconds === Number.POSITIVE_INFINITY) return [];
  return [new LoadGuard({ ...options, maximumLagMilliseconds }), new BackgroundGuard(options)];
}

/** Creates what holds calls of models within budgets. */
function openBudgets(
  {
    resources: { budgets: store },
    metrics,
    logger,
  }: Pick<ExecutorDependencies, 'resources' | 'metrics' | 'logger'>,
  { prices }: Recording,
) {
  const users = new BudgetedUsers({ store, logger });
  return { budgetedUsers: users, budgets: new Budgets({ store, users, prices, metrics, logger }) };
}

interface RunnerParts {
  readonly limits: ExecutorLimits;
  readonly recording: Recording;
  readonly budgets: Budgets;
}

/** Creates the caches of attempts, and the ways to execute one. */
function attemptRunner(
  dependencies: Omit<ExecutorDependencies, 'settings'>,
  { limits, recording, budgets }: RunnerParts,
) {
  const plans = new PlanCache(dependencies);
  const { resources } = dependencies;
  // With the answers of another Langflow release, a result can be another one.
  const version = `${dependencies.version} ${resources.langflow}`;
  return {
    plans,
    runners: {
      attempts: {
        ...dependencies,
        plans,
        limits: { maximumVertices: limits.runVertices, maximumOutputBytes: limits.outputBytes },
        recording,
        budgets,
        onSharedHistory: countSharedHistory(dependencies.metrics),
        frozenResults: new FrozenResultCache({ maximumBytes: FROZEN_RESULTS_BYTES }),
      },
      results: new ResultCache({
        ...dependencies,
        maximumEntries: limits.userCachedResults,
        maximumCharacters: limits.cachedResultCharacters,
        version,
      }),
      isolation: dependencies.isolation,
    },
  };
}

/** Returns what counts reads of the session of callers without one. */
function countSharedHistory(metrics: Metrics): (flowId: string) => void {
  const reads = metrics.counter(
    'millrace_shared_history_reads_total',
    'Reads of the history that callers without session_id share, by flow',
    { labels: { flow_id: [] } },
  );
  const series = new FlowSeries();
  return (flowId) => reads.add(1, { flow_id: series.labelOf(flowId) });
}

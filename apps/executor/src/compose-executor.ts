import { FrozenResultCache } from '@millrace/engine';
import { FailedRunLog } from '@millrace/runs';
import { fixedLimits } from '@millrace/service';
import { PlanCache } from './attempts/plan-cache';
import { ResultCache } from './attempts/result-cache/result-cache';
import { RunningAttempts } from './attempts/running-attempts';
import { Slots } from './attempts/slots';
import { recordingOf } from './attempts/vertex-records/run-recorder';
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
import { Replies } from './replies/replies';
import { WatchedFlows } from './replies/watched-flows';

/** Size of the in-process cache of frozen vertex results. */
const FROZEN_RESULTS_BYTES = 64 * 1024 * 1024;

/** Deliveries that are taken beyond the slots unless given: they wait for a free slot or for their record. */
const PREFETCH_AHEAD = 64;

export type ExecutorParts = ReturnType<typeof composeExecutor>;

export interface ComposeExecutorDependencies extends ExecutorDependencies {
  /** Fires when the executor stops taking jobs; runs that have not started are returned to the queue. */
  readonly draining: AbortSignal;
  /** Fires when the time for a graceful stop is over; no operation waits for an outage to end after that. */
  readonly shutdownDeadline: AbortSignal;
}

/** Creates all parts of an executor, and returns those that its start and its end need. */
export function composeExecutor({ settings, ...given }: ComposeExecutorDependencies) {
  const { MILLRACE_POOL: pool, MILLRACE_CONCURRENCY: concurrency } = settings;
  const dependencies = { ...given, pool, concurrency };
  const { metrics, logger, prefetchAhead = PREFETCH_AHEAD } = dependencies;
  const limits: ExecutorLimits = { ...fixedLimits, ...given.limits };
  const slots = new Slots(concurrency);
  const running = new RunningAttempts();
  metrics.gauge('millrace_executor_runs_in_hand', 'Attempts in flight in this executor', () => running.size);
  metrics.gauge('millrace_pool_slots', 'Slots of this executor, by pool and state: busy or free', () => [
    [slots.taken, { pool, state: 'busy' }],
    [Math.max(0, slots.limit - slots.taken), { pool, state: 'free' }],
  ]);
  metrics.gauge('millrace_executor_slots_taken', 'Slots in use', () => slots.taken);
  const peers = new Peers(dependencies);
  const takeover = new Takeover({ ...dependencies, peers });
  const records = openRecords(dependencies);
  const replies = new Replies(dependencies);
  const watchedFlows = new WatchedFlows(dependencies);
  const failedRuns = new FailedRunLog({ logger, metrics });
  const outcomes = new RunOutcomes({ ...dependencies, replies, failedRuns, lost: dependencies.traces?.lost });
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

  const runner = attemptRunner({ ...given, settings }, limits);
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
    peers,
    records,
    replies,
    outcomes,
    inFlight,
    jobBatches,
    prefetch,
    announcement,
    heartbeat: new WorkerHeartbeat({ ...shared, announce: () => announcement.write() }),
    control: executorControl({ ...shared, peers, inFlight }),
    guards: loadGuards(limits, { slots, metrics, logger }),
  };
}

/** Creates what lowers the number of concurrent runs while the event loop is late. */
function loadGuards(
  { eventLoopLagMilliseconds: maximumLagMilliseconds }: ExecutorLimits,
  options: Omit<LoadGuardOptions, 'maximumLagMilliseconds'>,
): readonly (LoadGuard | BackgroundGuard)[] {
  if (maximumLagMilliseconds === Number.POSITIVE_INFINITY) return [];
  return [new LoadGuard({ ...options, maximumLagMilliseconds }), new BackgroundGuard(options)];
}

/** Creates the caches of attempts, and the ways to execute one. */
function attemptRunner({ settings, ...dependencies }: ExecutorDependencies, limits: ExecutorLimits) {
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
        recording: recordingOf(settings),
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

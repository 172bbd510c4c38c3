import { BacklogLimits } from '@millrace/access';
import { BacklogMeter } from '@millrace/dispatch';
import { UserBacklogs } from '@millrace/runs';
import { fixedLimits } from '@millrace/service';
import { limitsOf, processesOf } from './gateway-dependencies';
import type { GatewayDependencies } from './gateway-dependencies';
import { AnnouncedPools, PoolWatch } from './runs/executor-pools';
import type { ControlChannel } from './runs/control-channel';
import { DurableRuns } from './runs/durable-runs';
import { FairQueue } from './runs/fair-queue';
import { LiveVertices } from './runs/live-vertices';
import { PendingRunMonitor } from './runs/pending-run-monitor';
import { PendingRuns, UserConcurrencyLimit } from './runs/pending-runs';
import { ReadYourWrites } from './runs/read-your-writes';
import { RunDispatcher } from './runs/run-dispatcher';
import { RunLocator } from './runs/run-locator';

const DEFAULT_POOL = 'default';

/** Starts runs, waits for their replies, and finds the runs that wait. */
export interface RunParts {
  readonly announced: AnnouncedPools;
  readonly readYourWrites: ReadYourWrites;
  readonly concurrencyLimit: UserConcurrencyLimit;
  readonly pendingRuns: PendingRuns;
  readonly pendingRunMonitor: PendingRunMonitor;
  readonly runLocator: RunLocator;
  readonly liveVertices: LiveVertices;
  readonly backlogs: UserBacklogs;
  readonly backlogLimits: BacklogLimits;
  readonly meter: BacklogMeter;
  readonly dispatcher: RunDispatcher;
  readonly durable: DurableRuns;
}

/** Creates these parts. */
export function runParts(dependencies: GatewayDependencies, control: ControlChannel): RunParts {
  const { settings, logger, metrics, bus, names, instance, runs, pythonPool } = dependencies;
  const processes = processesOf(settings);
  const deadlineMilliseconds = settings.MILLRACE_RUN_DEADLINE_SECONDS * 1000;
  const announced = new AnnouncedPools(dependencies);
  const fairQueue = openFairQueue(dependencies, announced);
  const pools = new PoolWatch({ bus, names });
  const readYourWrites = openReadYourWrites(dependencies);
  const concurrencyLimit = new UserConcurrencyLimit(settings.MILLRACE_USER_CONCURRENT_RUNS, processes);
  const pendingRuns = new PendingRuns({
    ...dependencies,
    control,
    maximumRuns: limitsOf(dependencies).gatewayConcurrentRuns,
    concurrencyLimit,
    fairQueue,
    pools,
    readYourWrites,
    gaps: metrics.counter('millrace_stream_gaps_total', 'Gaps in the events of streamed runs, by outcome', {
      labels: { outcome: ['filled', 'gone'] },
    }),
  });
  metrics.gauge('millrace_runs_waiting', 'Runs whose callers wait at this gateway', () => pendingRuns.size);
  const backlogs = new UserBacklogs({ runs, logger, maximum: settings.MILLRACE_USER_BACKLOG_LIMIT });
  const backlogLimits = new BacklogLimits({ ...dependencies, processes });
  const dispatcher = new RunDispatcher({
    ...dependencies,
    control,
    announced,
    fairQueue,
    pools,
    pendingRuns,
    processes,
    runRecords: settings.MILLRACE_RUN_RECORDS,
    deadlineMilliseconds,
    backgroundLimitMilliseconds: settings.MILLRACE_BACKGROUND_RUN_DEADLINE_SECONDS * 1000,
    maximumAttempts: fixedLimits.runAttempts,
    publishedRunsPerUser: settings.MILLRACE_USER_QUEUE_SHARE,
    backlogs,
    backlogLimits,
  });
  return {
    announced,
    readYourWrites,
    concurrencyLimit,
    pendingRuns,
    pendingRunMonitor: new PendingRunMonitor({ pendingRuns, pools, bus, runs, logger }),
    runLocator: new RunLocator({ pendingRuns, control, instance, deadlineMilliseconds }),
    liveVertices: new LiveVertices({ control, instance }),
    backlogs,
    backlogLimits,
    meter: new BacklogMeter({
      ...dependencies,
      pools: pythonPool === null ? [DEFAULT_POOL] : [DEFAULT_POOL, pythonPool],
      intervalMilliseconds: settings.MILLRACE_BACKLOG_INTERVAL_SECONDS * 1_000,
    }),
    dispatcher,
    durable: new DurableRuns({ runs, pendingRuns, dispatcher }),
  };
}

/** Returns the queue in which users with waiting callers take turns, and its metric. */
function openFairQueue({ metrics, maximumSent }: GatewayDependencies, announced: AnnouncedPools): FairQueue {
  const queue = new FairQueue({ announced, maximumSent });
  metrics.gauge(
    'millrace_runs_held',
    "Runs whose callers wait at this gateway and whose jobs wait for their user's turn",
    () => queue.held,
  );
  return queue;
}

function openReadYourWrites({ metrics }: GatewayDependencies): ReadYourWrites {
  const staleReads = metrics.counter(
    'millrace_stale_reads_total',
    'Reads that did not see all answered runs of their user, because a record was not stored in time',
  );
  return new ReadYourWrites({ onTimeout: () => staleReads.add(1) });
}

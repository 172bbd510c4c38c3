import { shareRunLimits } from '@millrace/access';
import { BacklogMeter } from '@millrace/dispatch';
import { FailedRunLog } from '@millrace/runs';
import type { IngestDependencies } from '../ingest-dependencies';
import { AlertClock } from './alert-clock';
import { exportBacklog } from './backlog-metrics';
import { DeadLetterPublisher } from './dead-letter-publisher';
import { FairScheduler } from './fair-scheduler';
import { ObjectCleaner } from './object-cleaner';
import { Pruner } from './pruner';
import { ScheduleClock } from './schedule-clock';
import type { ScheduleClockDependencies } from './schedule-clock';
import { measureFiring } from './schedule-metrics';
import { Sweeper } from './sweeper';
import { UnreadableRowLog } from './unreadable-row-log';

export interface UpkeepDependencies
  extends
    IngestDependencies,
    Pick<
      ScheduleClockDependencies,
      'publisher' | 'publishedRunsPerUser' | 'backgroundLimitMilliseconds' | 'maximumAttempts'
    > {}

/** The periodic work of an ingest process. */
export interface Upkeep {
  /** Call when a run enters the backlog. */
  readonly onBacklogged: () => void;
  start(): void;
  /** Ends when the current work has ended. */
  close(): Promise<void>;
}

/** Creates the periodic work: runs without a message, backlog, schedules and old records. */
export function createUpkeep(dependencies: UpkeepDependencies): Upkeep {
  const {
    settings,
    runs,
    bus,
    publisher,
    logger,
    metrics,
    pythonPool,
    objectDeletions = null,
    bodyMover = null,
  } = dependencies;
  const scheduler = new FairScheduler({
    runs,
    bus,
    publisher,
    logger,
    publishedPerUser: dependencies.publishedRunsPerUser,
    share: shareRunLimits(dependencies),
    idleMilliseconds: dependencies.releaseIntervalMilliseconds,
  });
  const backlogged = metrics.counter(
    'millrace_runs_waited_total',
    'Runs that entered the backlog of their user',
  );
  const onBacklogged = () => {
    backlogged.add(1);
    scheduler.wake();
  };
  const meter = new BacklogMeter({
    ...dependencies,
    pools: ['default', ...(pythonPool === null ? [] : [pythonPool])],
    intervalMilliseconds: settings.MILLRACE_BACKLOG_INTERVAL_SECONDS * 1_000,
  });
  exportBacklog(metrics, meter);
  const failedRuns = new FailedRunLog({ logger, metrics });
  const clock = new ScheduleClock({ ...dependencies, onFired: measureFiring(metrics), onBacklogged });
  const sweeper = createSweeper(dependencies, failedRuns);
  const parts = [
    meter,
    sweeper,
    scheduler,
    createPruner(dependencies),
    new UnreadableRowLog(dependencies),
    clock,
    new AlertClock(dependencies),
    new ObjectCleaner({ objectDeletions, bodyMover, logger, metrics }),
  ];
  return {
    onBacklogged,
    start() {
      for (const part of parts) part.start();
    },
    async close() {
      for (const part of parts) await part.close();
      failedRuns.close();
    },
  };
}

function createSweeper(dependencies: UpkeepDependencies, failedRuns: FailedRunLog): Sweeper {
  const { settings, runs, endedRequests, bus, names, publisher, logger, metrics } = dependencies;
  const swept = metrics.counter('millrace_runs_swept_total', 'Runs that the sweeper published again');
  const dead = metrics.counter('millrace_runs_dead_total', 'Dead runs whose dead letter was published');
  const deadLetters = new DeadLetterPublisher({
    runs,
    bus,
    names,
    logger,
    retentionDays: settings.MILLRACE_RUN_RETENTION_DAYS,
    onPublished: (count) => dead.add(count),
  });
  return new Sweeper({
    runs,
    endedRequests,
    bus,
    names,
    publisher,
    deadLetters,
    logger,
    intervalMilliseconds: dependencies.sweepIntervalMilliseconds,
    onSwept: (count) => swept.add(count),
    onEnded({ lost, ...run }) {
      failedRuns.write(run);
      if (lost) void dependencies.lostAttempts?.record(lost);
    },
    onLost: (attempt) => failedRuns.writeLost(attempt),
  });
}

function createPruner(dependencies: UpkeepDependencies): Pruner {
  const { settings, runs, files, audit, refusedDeliveries, retention, logger, metrics } = dependencies;
  const pruned = metrics.counter(
    'millrace_records_pruned_total',
    'Records deleted because of their age, by kind',
    { labels: { kind: ['runs', 'flow_versions', 'refused_deliveries', 'messages'] } },
  );
  return new Pruner({
    runs,
    files,
    audit,
    refusedDeliveries,
    retention,
    logger,
    retentionDays: settings.MILLRACE_RUN_RETENTION_DAYS,
    retentionOfOthers: settings.MILLRACE_RETENTION,
    auditRetentionDays: settings.MILLRACE_AUDIT_RETENTION_DAYS,
    intervalMilliseconds: dependencies.pruneIntervalMilliseconds,
    keptFlowVersions: settings.MILLRACE_KEPT_FLOW_VERSIONS,
    onPruned: (kind, count) => pruned.add(count, { kind }),
  });
}

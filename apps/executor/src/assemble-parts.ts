import { FrozenResultCache } from '@millrace/engine';
import { FailedRunLog } from '@millrace/runs';
import { CancelledRuns } from './intake/cancelled-runs';
import { InFlightRuns } from './intake/in-flight-runs';
import type { ExecutorDependencies } from './executor-dependencies';
import type { ExecutorParts } from './executor-parts';
import { UnreachableReplyQueues } from './replies/unreachable-reply-queues';
import { groupClaims } from './records/group-claims';
import { groupCompletions } from './records/group-completions';
import { InteractiveRecords } from './records/interactive-records';
import { Peers } from './intake/peers';
import { PlanCache } from './attempts/plan-cache';
import { ResultCache } from './attempts/result-cache/result-cache';
import { RunningAttempts } from './jobs/running-attempts';
import { SentFrames } from './replies/sent-frames';
import { messageVisibility } from './records/message-visibility';
import { Slots } from './intake/slots';
import { Takeover } from './intake/takeover';
import { WatchedFlows } from './replies/watched-flows';

/** Size of the in-process cache of frozen vertex results. */
const FROZEN_RESULTS_BYTES = 64 * 1024 * 1024;

const NO_RESULTS = { maximumEntries: 0, maximumCharacters: 0 };

const DURATION_BOUNDARIES = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 600];

/** Creates the state that the job handlers share, and its metrics. */
export function assembleParts(
  dependencies: ExecutorDependencies,
  { draining, shutdownDeadline }: { readonly draining: AbortSignal; readonly shutdownDeadline: AbortSignal },
): ExecutorParts {
  const { bus, names, worker, logger, metrics, history } = dependencies;
  const finished = metrics.counter('millrace_runs_finished_total', 'Runs that ended, by status');
  const duration = metrics.histogram('millrace_run_duration_seconds', 'Duration of attempts', {
    unit: 's',
    boundaries: DURATION_BOUNDARIES,
  });
  const lost = metrics.counter(
    'millrace_records_lost_total',
    'Interactive runs whose record could not be written',
  );
  const running = new RunningAttempts();
  const peers = new Peers(dependencies);
  const plans = new PlanCache(dependencies);
  const slots = new Slots(dependencies.concurrency);
  metrics.gauge('millrace_executor_runs_in_hand', 'Attempts in flight in this executor', () => running.size);
  metrics.gauge('millrace_executor_slots_taken', 'Slots in use', () => slots.taken);
  return {
    ...dependencies,
    ...messageVisibility(history, logger),
    draining,
    shutdownDeadline,
    running,
    slots,
    attempts: {
      ...dependencies,
      plans,
      frozenResults: new FrozenResultCache({ maximumBytes: FROZEN_RESULTS_BYTES }),
    },
    inFlight: new InFlightRuns(),
    plans,
    results: new ResultCache({ ...dependencies, ...(dependencies.resultCache ?? NO_RESULTS) }),
    cancelledRuns: new CancelledRuns(),
    unreachableQueues: new UnreachableReplyQueues(),
    sentFrames: new SentFrames(),
    peers,
    takeover: new Takeover({ bus, names, worker, peers, logger }),
    watchedFlows: new WatchedFlows({ bus, logger }),
    claims: groupClaims({ ...dependencies, shutdownDeadline }),
    completions: groupCompletions({ ...dependencies, shutdownDeadline }),
    records: new InteractiveRecords({
      ...dependencies,
      shutdownDeadline,
      onLost: (count) => lost.add(count),
    }),
    failedRuns: new FailedRunLog(dependencies),
    count(job, status, milliseconds) {
      finished.add(1, { status, lane: job.lane, pool: job.pool });
      duration.record(milliseconds / 1_000, { lane: job.lane });
    },
  };
}

import { FrozenResultCache } from '@millrace/engine';
import { FailedRunLog } from '@millrace/runs';
import { CancelledRuns } from './cancelled-runs';
import { DeliveriesInHand } from './deliveries-in-hand';
import type { ExecutorDependencies } from './executor-dependencies';
import type { ExecutorParts } from './executor-parts';
import { GoneGateways } from './gone-gateways';
import { groupClaims } from './group-claims';
import { groupCompletions } from './group-completions';
import { InteractiveRecords } from './interactive-records';
import { Peers } from './peers';
import { PlanCache } from './plan-cache';
import { ResultCache } from './result-cache/result-cache';
import { RunningAttempts } from './running-attempts';
import { SentFrames } from './sent-frames';
import { shownMessages } from './shown-messages';
import { Slots } from './slots';
import { Takeover } from './takeover';
import { WatchedFlows } from './watched-flows';

/** How much this process keeps of what frozen vertices gave. */
const FROZEN_RESULTS_BYTES = 64 * 1024 * 1024;

const NO_RESULTS = { maximumEntries: 0, maximumCharacters: 0 };

const DURATION_BOUNDARIES = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 600];

/** Makes what the job handlers share, and what is measured of it. */
export function assembleParts(
  dependencies: ExecutorDependencies,
  { draining, leaving }: Pick<ExecutorParts, 'draining' | 'leaving'>,
): ExecutorParts {
  const { bus, names, worker, logger, metrics, history } = dependencies;
  const finished = metrics.counter('millrace_runs_finished_total', 'Runs that ended, by how');
  const duration = metrics.histogram('millrace_run_duration_seconds', 'How long attempts took', {
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
  metrics.gauge('millrace_executor_runs_in_hand', 'Attempts this executor has in hand', () => running.size);
  metrics.gauge('millrace_executor_slots_taken', 'Slots in use', () => slots.taken);
  return {
    ...dependencies,
    ...shownMessages(history, logger),
    draining,
    leaving,
    running,
    slots,
    attempts: {
      ...dependencies,
      plans,
      frozenResults: new FrozenResultCache({ maximumBytes: FROZEN_RESULTS_BYTES }),
    },
    inHand: new DeliveriesInHand(),
    plans,
    results: new ResultCache({ ...dependencies, ...(dependencies.resultCache ?? NO_RESULTS) }),
    cancelled: new CancelledRuns(),
    gone: new GoneGateways(),
    sent: new SentFrames(),
    peers,
    takeover: new Takeover({ bus, names, worker, peers, logger }),
    watched: new WatchedFlows({ bus, logger }),
    claims: groupClaims({ ...dependencies, leaving }),
    completions: groupCompletions({ ...dependencies, leaving }),
    records: new InteractiveRecords({ ...dependencies, leaving, onLost: (count) => lost.add(count) }),
    failedRuns: new FailedRunLog(dependencies),
    count(job, status, milliseconds) {
      finished.add(1, { status, lane: job.lane, pool: job.pool });
      duration.record(milliseconds / 1_000, { lane: job.lane });
    },
  };
}

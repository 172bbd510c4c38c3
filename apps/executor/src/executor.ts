import type { Job, RunEnd } from '@millrace/contracts';
import { controlTopology } from '@millrace/contracts';
import type { Consumer, Delivery, Verdict } from '@millrace/messaging';
import { GroupCommit } from '@millrace/runs';
import type { Claim, ClaimRequest, MessageRow, RunCompletion } from '@millrace/runs';
import { CancelledRuns } from './cancelled-runs';
import { handleControlMessage } from './control-messages';
import { handleDurableJob } from './durable-jobs';
import type { ExecutorDependencies } from './executor-dependencies';
import type { ExecutorParts } from './executor-parts';
import { handleInteractiveJob } from './interactive-jobs';
import { InteractiveRecords } from './interactive-records';
import { patientCommit } from './patient-commit';
import { PlanCache } from './plan-cache';
import { readJob } from './read-job';
import { RunningAttempts } from './running-attempts';
import { Slots } from './slots';
import { Takeover } from './takeover';
import { WorkerHeartbeat } from './worker-heartbeat';

/** Deliveries beyond the slots that may wait for their record or for a free slot. */
const PREFETCH_AHEAD = 64;
const CLAIM_PATIENCE_MILLISECONDS = 10_000;
const COMPLETION_PATIENCE_MILLISECONDS = 60_000;
const WORKER_TTL_MILLISECONDS = 15_000;

export interface Executor {
  /** Stops taking jobs, lets those in hand finish for this long, gives the rest back, and leaves. */
  close(options: { readonly deadlineMilliseconds: number }): Promise<void>;
}

/** Starts consuming the lanes of one pool. */
export async function startExecutor(dependencies: ExecutorDependencies): Promise<Executor> {
  const closing = new AbortController();
  const parts = assemble(dependencies, closing.signal);
  const { bus, names, pool, worker, concurrency } = dependencies;
  const heartbeat = new WorkerHeartbeat({ ...parts, announce: () => announce(parts) });

  await bus.provision(controlTopology(names, worker));
  const options = { prefetch: concurrency + PREFETCH_AHEAD };
  const control = await bus.consume(names.control(worker), { prefetch: 100, noAck: true }, (delivery) =>
    handleControlMessage(parts, delivery),
  );
  const lanes: Consumer[] = [
    await bus.consume(names.lane('interactive', pool), options, (delivery) =>
      handleDelivery(parts, delivery),
    ),
    await bus.consume(names.lane('background', pool), options, (delivery) => handleDelivery(parts, delivery)),
    await bus.consume(names.quarantineQueue, { prefetch: 1 }, (delivery) => handleDelivery(parts, delivery)),
  ];
  heartbeat.start();

  return {
    async close({ deadlineMilliseconds }) {
      const drained = Promise.all(lanes.map((lane) => lane.close({ deadlineMilliseconds })));
      const overdue = setTimeout(
        () => {
          closing.abort('shutdown');
          parts.running.abortAll('shutdown');
        },
        Math.max(0, deadlineMilliseconds - 2_000),
      );
      await drained;
      clearTimeout(overdue);
      closing.abort('shutdown');
      await heartbeat.close();
      await Promise.all([parts.claims.close(), parts.completions.close(), parts.records.close()]);
      await control.close();
      await dependencies.keyValue.delete([workerKey(worker)]).catch(() => undefined);
    },
  };
}

async function handleDelivery(parts: ExecutorParts, delivery: Delivery): Promise<Verdict> {
  const job = readJob(delivery);
  if (!job) {
    parts.logger.error({ messageId: delivery.messageId }, 'a message that is no job was put aside');
    return 'discard';
  }
  return job.durable ? handleDurableJob(parts, job, delivery) : handleInteractiveJob(parts, job, delivery);
}

function assemble(dependencies: ExecutorDependencies, closing: AbortSignal): ExecutorParts {
  const { runs, bus, names, worker, logger, metrics, history } = dependencies;
  const finished = metrics.counter('millrace_runs_finished_total', 'Runs that ended, by how');
  const duration = metrics.histogram('millrace_run_duration_seconds', 'How long attempts took', {
    unit: 's',
    boundaries: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 600],
  });
  const lost = metrics.counter(
    'millrace_records_lost_total',
    'Interactive runs whose record could not be written',
  );
  const running = new RunningAttempts();
  const slots = new Slots(dependencies.concurrency);
  metrics.gauge('millrace_executor_runs_in_hand', 'Attempts this executor has in hand', () => running.size);
  metrics.gauge('millrace_executor_slots_taken', 'Slots in use', () => slots.taken);
  return {
    ...dependencies,
    closing,
    running,
    slots,
    attempts: dependencies,
    plans: new PlanCache(dependencies),
    cancelled: new CancelledRuns(),
    takeover: new Takeover(bus, names, worker),
    claims: new GroupCommit<ClaimRequest, Claim>({
      commit: (claims) =>
        patientCommit(
          { patienceMilliseconds: CLAIM_PATIENCE_MILLISECONDS, logger, what: 'claiming runs' },
          async () => {
            // Two deliveries of one run may meet in one batch: the first one has it.
            const first = new Map(
              claims.map((claim) => [claim.runId, claim]).reverse() as [string, ClaimRequest][],
            );
            const found = await runs.claim([...first.values()]);
            return claims.map((claim) =>
              first.get(claim.runId) === claim
                ? (found.get(claim.runId) ?? { outcome: 'unknown' })
                : { outcome: 'held', worker, attempt: 0 },
            );
          },
        ),
      maximumWaitMilliseconds: 2,
      maximumItems: 200,
      maximumPending: 10_000,
    }),
    completions: new GroupCommit<RunCompletion, boolean>({
      commit: (ends) =>
        patientCommit(
          { patienceMilliseconds: COMPLETION_PATIENCE_MILLISECONDS, logger, what: 'completing runs' },
          async () => {
            const stored = await runs.complete(ends);
            return ends.map(({ runId }) => stored.has(runId));
          },
        ),
      maximumWaitMilliseconds: 2,
      maximumItems: 200,
      maximumPending: 10_000,
    }),
    records: new InteractiveRecords({ runs, bus, logger, onLost: (count) => lost.add(count) }),
    async showMessages(
      userId: string,
      flowId: string,
      messages: readonly MessageRow[],
      recorded: Promise<void>,
    ) {
      const sessions = [...new Set(messages.map(({ sessionId }) => sessionId))];
      const shown = await Promise.all(
        sessions.map((id) =>
          history.append(
            userId,
            flowId,
            id,
            messages.filter(({ sessionId }) => sessionId === id),
          ),
        ),
      );
      if (shown.includes(false)) await recorded;
    },
    count(job: Job, status: RunEnd, milliseconds: number) {
      finished.add(1, { status, lane: job.lane, pool: job.pool });
      duration.record(milliseconds / 1_000, { lane: job.lane });
    },
  };
}

/** Shows this worker to whoever lists them, for as long as it renews. */
async function announce({
  keyValue,
  worker,
  pool,
  concurrency,
  running,
  version,
}: ExecutorParts): Promise<void> {
  const state = {
    worker,
    pool,
    concurrency,
    version,
    inHand: running.size,
    seenAt: new Date().toISOString(),
  };
  await keyValue
    .set(workerKey(worker), JSON.stringify(state), { ttlMilliseconds: WORKER_TTL_MILLISECONDS })
    .catch(() => undefined);
}

function workerKey(worker: string): string {
  return `worker:${worker}`;
}

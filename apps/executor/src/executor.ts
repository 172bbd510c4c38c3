import { setMaxListeners } from 'node:events';
import { controlTopology, standbyTopology } from '@millrace/contracts';
import type { Consumer, Delivery, Verdict } from '@millrace/messaging';
import { machineTime, withDeadline } from '@millrace/service';
import { answerWithoutRunning } from './jobs/answer-without-running';
import { assembleParts } from './assemble-parts';
import { executorControl } from './intake/control-messages';
import { handleDurableJob } from './jobs/durable-jobs';
import type { DeliveredJob } from './jobs/durable-jobs';
import type { ExecutorDependencies } from './executor-dependencies';
import type { ExecutorParts } from './executor-parts';
import { handleInteractiveJob } from './jobs/interactive-jobs';
import { handOff } from './intake/hand-off';
import { LoadGuard } from './intake/load-guard';
import { isOfAnotherVersion, readJob } from './intake/read-job';
import { wholeRunFailure } from './jobs/run-failure';
import { WorkerAnnouncement } from './intake/worker-announcement';
import { WorkerHeartbeat } from './intake/worker-heartbeat';
import { isNearDeliveryLimit } from './intake/delivery-limit';

/** Deliveries that can be prefetched beyond the slots: they wait for a free slot or for their record. */
const PREFETCH_AHEAD = 64;
/** How long before `deadlineMilliseconds` of `close` in-flight runs are aborted: enough time to release them in order. */
const RELEASE_MARGIN_MILLISECONDS = 2_000;
/** How long before `deadlineMilliseconds` of `close` runs whose rows cannot be reached are handed off. */
const HAND_OFF_MARGIN_MILLISECONDS = 1_000;

export interface Executor {
  /** Stops taking jobs, waits this long for in-flight runs to finish, releases the rest, and closes. */
  close(options: { readonly deadlineMilliseconds: number }): Promise<void>;
}

/** Starts consuming the lanes of one pool. */
export async function startExecutor(dependencies: ExecutorDependencies): Promise<Executor> {
  const draining = new AbortController();
  const shutdownDeadline = new AbortController();
  // Each delivery that waits for a slot adds a listener; the prefetch limits their number.
  setMaxListeners(0, draining.signal, shutdownDeadline.signal);
  const parts = assembleParts(dependencies, {
    draining: draining.signal,
    shutdownDeadline: shutdownDeadline.signal,
  });
  const { bus, names, pool, worker, concurrency } = dependencies;
  const announcement = new WorkerAnnouncement(parts);
  const heartbeat = new WorkerHeartbeat({ ...parts, announce: () => announcement.write() });

  await bus.provision(standbyTopology(names, pool));
  await bus.provision(controlTopology(names, worker));
  const options = { prefetch: concurrency + PREFETCH_AHEAD };
  const control = await bus.consume(
    names.control(worker),
    { prefetch: 100, noAck: true },
    executorControl(parts),
  );
  // Other executors ask only those they have discovered, so this one must be announced before it has runs.
  await announcement.open();
  void parts.peers.discoverAll();
  const lanes: Consumer[] = [
    await bus.consume(names.lane('interactive', pool), options, (delivery) =>
      handleDelivery(parts, delivery),
    ),
    await bus.consume(names.lane('background', pool), options, (delivery) => handleDelivery(parts, delivery)),
    await bus.consume(names.standbyLane(pool), options, (delivery) => handleDelivery(parts, delivery)),
    await bus.consume(names.quarantineQueue, { prefetch: 1 }, (delivery) =>
      handleDelivery(parts, delivery, true),
    ),
  ];
  heartbeat.start();
  const guard = loadGuard(parts);
  guard?.start();

  return {
    async close({ deadlineMilliseconds }) {
      const releaseTimer = setTimeout(
        () => {
          shutdownDeadline.abort('shutdown');
          parts.running.abortAll('shutdown');
        },
        Math.max(0, deadlineMilliseconds - RELEASE_MARGIN_MILLISECONDS),
      );
      const handOffTimer = setTimeout(
        () => void parts.inFlight.handOff(),
        Math.max(0, deadlineMilliseconds - HAND_OFF_MARGIN_MILLISECONDS),
      );
      const giveUpAt = machineTime() + deadlineMilliseconds;
      const drained = Promise.all(lanes.map((lane) => lane.close({ deadlineMilliseconds })));
      draining.abort('shutdown');
      await drained;
      // Closing the lanes does not wait for runs whose messages are already settled.
      await withDeadline(
        parts.inFlight.ended(),
        Math.max(0, giveUpAt - machineTime()),
        'runs are still in flight',
      ).catch(() => undefined);
      await heartbeat.close();
      guard?.close();
      await Promise.all([parts.claims.close(), parts.completions.close(), parts.records.close()]);
      parts.failedRuns.close();
      clearTimeout(releaseTimer);
      clearTimeout(handOffTimer);
      shutdownDeadline.abort('shutdown');
      await control.close();
      await announcement.close();
      parts.peers.close();
    },
  };
}

function loadGuard(parts: ExecutorParts): LoadGuard | null {
  const { maximumLagMilliseconds } = parts;
  return maximumLagMilliseconds === undefined ? null : new LoadGuard({ ...parts, maximumLagMilliseconds });
}

async function handleDelivery(
  parts: ExecutorParts,
  delivery: Delivery,
  isQuarantined = false,
): Promise<Verdict> {
  const job = readJob(delivery);
  if (!job) return discardMessage(parts, delivery);
  return parts.inFlight.settle(job.runId, {
    isNearDeliveryLimit: isNearDeliveryLimit(job, delivery, isQuarantined),
    work: (onClaimed) =>
      job.durable
        ? handleOrHandOff(parts, { job, delivery, isolated: isQuarantined, onClaimed })
        : handleInteractiveJob(parts, job, delivery),
    handOff: () => handOff(parts, job, delivery),
  });
}

/** Handles a durable job; hands its run off if the shutdown deadline passes before the run can be released. */
async function handleOrHandOff(parts: ExecutorParts, delivered: DeliveredJob): Promise<Verdict> {
  try {
    return await handleDurableJob(parts, delivered);
  } catch (error) {
    const { job, delivery } = delivered;
    if (parts.shutdownDeadline.aborted && (await handOff(parts, job, delivery, error))) return 'done';
    // Its message is already settled, so the consumer does not report the error.
    if (parts.inFlight.isSettled(job.runId))
      parts.logger.error(
        { error, runId: job.runId },
        'a run failed after its message was settled; its lease will expire and it will be retried',
      );
    throw error;
  }
}

/**
 * Discards a message that is not a job of this version. Its caller gets an error at once, unless the run has a row:
 * then the outcome comes from the row.
 */
async function discardMessage(parts: ExecutorParts, delivery: Delivery): Promise<Verdict> {
  const { messageId, correlationId: runId, replyTo } = delivery;
  parts.logger.error({ messageId, runId }, 'message dead-lettered: it is not a job of this version');
  if (runId !== undefined && !isOfAnotherVersion(delivery)) {
    const failure = wholeRunFailure('internal', 'The executor cannot read this job.');
    await answerWithoutRunning(parts, { runId, replyTo }, 'failed', JSON.stringify(failure));
  }
  return 'discard';
}

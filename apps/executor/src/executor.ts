import { setMaxListeners } from 'node:events';
import { controlTopology, standbyTopology } from '@millrace/contracts';
import type { Consumer, Delivery, Verdict } from '@millrace/messaging';
import { withDeadline } from '@millrace/service';
import { answerWithoutRunning } from './answer-without-running';
import { assembleParts } from './assemble-parts';
import { handleControlMessage } from './control-messages';
import { handleDurableJob } from './durable-jobs';
import type { DeliveredJob } from './durable-jobs';
import type { ExecutorDependencies } from './executor-dependencies';
import type { ExecutorParts } from './executor-parts';
import { handleInteractiveJob } from './interactive-jobs';
import { leaveToOthers } from './leave-to-others';
import { LoadGuard } from './load-guard';
import { isOfAnotherVersion, readJob } from './read-job';
import { wholeRunFailure } from './run-failure';
import { WorkerAnnouncement } from './worker-announcement';
import { WorkerHeartbeat } from './worker-heartbeat';
import { isWorn } from './worn-deliveries';

/** Deliveries beyond the slots that may wait for their record or for a free slot. */
const PREFETCH_AHEAD = 64;
/** What is left of the time to stop when the runs in hand are cut short: enough to give them back in order. */
const GIVING_BACK_MILLISECONDS = 2_000;
/** What is left of it when runs whose rows cannot be reached are left to others. */
const LEAVING_BEHIND_MILLISECONDS = 1_000;

export interface Executor {
  /** Stops taking jobs, lets those in hand finish for this long, gives the rest back, and leaves. */
  close(options: { readonly deadlineMilliseconds: number }): Promise<void>;
}

/** Starts consuming the lanes of one pool. */
export async function startExecutor(dependencies: ExecutorDependencies): Promise<Executor> {
  const draining = new AbortController();
  const leaving = new AbortController();
  // Every delivery that waits for a slot listens; the prefetch bounds them.
  setMaxListeners(0, draining.signal, leaving.signal);
  const parts = assembleParts(dependencies, { draining: draining.signal, leaving: leaving.signal });
  const { bus, names, pool, worker, concurrency } = dependencies;
  const announcement = new WorkerAnnouncement(parts);
  const heartbeat = new WorkerHeartbeat({ ...parts, announce: () => announcement.say() });

  await bus.provision(standbyTopology(names, pool));
  await bus.provision(controlTopology(names, worker));
  const options = { prefetch: concurrency + PREFETCH_AHEAD };
  const control = await bus.consume(names.control(worker), { prefetch: 100, noAck: true }, (delivery) =>
    handleControlMessage(parts, delivery),
  );
  // Before it has runs: others ask those that they know of.
  await announcement.open();
  void parts.peers.meetAll();
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
      const overdue = setTimeout(
        () => {
          leaving.abort('shutdown');
          parts.running.abortAll('shutdown');
        },
        Math.max(0, deadlineMilliseconds - GIVING_BACK_MILLISECONDS),
      );
      const late = setTimeout(
        () => void parts.inHand.leave(),
        Math.max(0, deadlineMilliseconds - LEAVING_BEHIND_MILLISECONDS),
      );
      const giveUpAt = Date.now() + deadlineMilliseconds;
      const drained = Promise.all(lanes.map((lane) => lane.close({ deadlineMilliseconds })));
      draining.abort('shutdown');
      await drained;
      // The lanes know nothing of runs whose messages are settled already.
      await withDeadline(parts.inHand.ended(), Math.max(0, giveUpAt - Date.now()), 'runs go on').catch(
        () => undefined,
      );
      await heartbeat.close();
      guard?.close();
      await Promise.all([parts.claims.close(), parts.completions.close(), parts.records.close()]);
      parts.failedRuns.close();
      clearTimeout(overdue);
      clearTimeout(late);
      leaving.abort('shutdown');
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
  if (!job) return putAside(parts, delivery);
  return parts.inHand.settle(job.runId, {
    isWorn: isWorn(job, delivery, isQuarantined),
    work: (held) =>
      job.durable
        ? handleOrLeave(parts, { job, delivery, isolated: isQuarantined, held })
        : handleInteractiveJob(parts, job, delivery),
    leave: () => leaveToOthers(parts, job, delivery),
  });
}

/** What cannot even be given back because this process has no time left, others take as it is. */
async function handleOrLeave(parts: ExecutorParts, delivered: DeliveredJob): Promise<Verdict> {
  try {
    return await handleDurableJob(parts, delivered);
  } catch (error) {
    const { job, delivery } = delivered;
    if (parts.leaving.aborted && (await leaveToOthers(parts, job, delivery, error))) return 'done';
    // Nobody else hears of it any more.
    if (parts.inHand.isSettled(job.runId))
      parts.logger.error({ error, runId: job.runId }, 'a run could not be handled; its lease brings it back');
    throw error;
  }
}

/** No job, or one of another version. Whoever waits for it hears so at once, unless its row will tell him more. */
async function putAside(parts: ExecutorParts, delivery: Delivery): Promise<Verdict> {
  const { messageId, correlationId: runId, replyTo } = delivery;
  parts.logger.error({ messageId, runId }, 'a message that is no job of this version was put aside');
  if (runId !== undefined && !isOfAnotherVersion(delivery)) {
    const failure = wholeRunFailure('internal', 'The executor does not understand this job.');
    await answerWithoutRunning(parts, { runId, replyTo }, 'failed', JSON.stringify(failure));
  }
  return 'discard';
}

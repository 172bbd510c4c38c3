import { setMaxListeners } from 'node:events';
import { controlTopology, JOB_BATCH, standbyTopology } from '@millrace/messages';
import type { Consumer, Delivery, Verdict } from '@millrace/messaging';
import { inTraceOfMessage, machineTime, withDeadline } from '@millrace/service';
import type { Logger } from '@millrace/service';
import { wholeRunFailure } from './attempts/run-failure';
import { composeExecutor } from './compose-executor';
import type { ExecutorParts } from './compose-executor';
import type { ExecutorDependencies } from './executor-dependencies';
import { isOfAnotherVersion, readJob } from './intake/read-job';
import type { Replies } from './replies/replies';

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
  await records.close();
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

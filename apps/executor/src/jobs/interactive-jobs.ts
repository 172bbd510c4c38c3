import type { Job } from '@millrace/contracts';
import type { RunRequest } from '@millrace/flow';
import { MAXIMUM_BODY_BYTES } from '@millrace/messaging';
import type { Delivery, Verdict } from '@millrace/messaging';
import type { InteractiveRun, NewRun, RedeliveredStart } from '@millrace/runs';
import { machineTime, withDeadline } from '@millrace/service';
import { answerWithoutRunning, storedBody } from './answer-without-running';
import type { AttemptOutcome } from '../attempts/attempt';
import type { ExecutorParts } from '../executor-parts';
import { trackAttempt } from './track-attempt';
import type { RecordOutcome } from '../records/interactive-records';
import { retryDuringOutage } from '../records/retry-during-outage';
import { dispatchAttempt } from '../attempts/dispatch-attempt';
import { requestOf } from '../intake/read-job';
import { refuseLateRun } from './refuse-late-run';
import { remainingMilliseconds } from './remaining-milliseconds';
import { ReplyStream } from '../replies/reply-stream';
import { toRunFailure, wholeRunFailure } from './run-failure';

/** Maximum attempts of an interactive run; the last one runs with no other run in its process. */
export const MAXIMUM_ATTEMPTS = 3;
/** A caller is waiting, so fail fast while the database is unavailable. */
const BEGIN_TIMEOUT_MILLISECONDS = 5_000;
/** How long a delivery stays unsettled for its record; after that, a database outage does not block the lane. */
const RECORD_TIMEOUT_MILLISECONDS = 2_000;

/** A job with the data of its run that is known before the start. */
interface InteractiveOrder {
  readonly job: Job;
  readonly replyTo: string | undefined;
  readonly request: RunRequest;
  /** By this machine's clock. */
  readonly deadline: number;
  /** By the database's clock. */
  readonly acceptedAt: Date;
  readonly attempt: number;
  readonly countedAttempts: number;
}

/**
 * Handles a job whose caller is waiting and whose run has no row yet: executes the run, answers, records it, then
 * settles the delivery. The caller waits for neither the record nor the settling. Errors before the answer are
 * reported to the caller; only a run whose executor crashed is retried without the caller noticing.
 */
export async function handleInteractiveJob(
  parts: ExecutorParts,
  job: Job,
  delivery: Delivery,
): Promise<Verdict> {
  const { runId } = job;
  const { replyTo } = delivery;
  const remaining = job.deadline === null ? 0 : remainingMilliseconds(job, parts.clock);
  if (remaining <= 0) return refuseLateRun(parts, { job, replyTo }, -remaining);
  const deadline = machineTime() + remaining;
  const acceptedAt = acceptedAtOf(job);
  try {
    const request = await requestOf(job, parts);
    if (!request) throw new Error('the request of the run is missing or cannot be decrypted');
    const order = { job, replyTo, request, deadline, acceptedAt, attempt: 1, countedAttempts: 1 };
    if (!delivery.redelivered) return await start(parts, order);
    const location = await parts.takeover.locate({ runId, timeoutMilliseconds: remaining });
    if (location === 'elsewhere') return 'done';
    return await restart(parts, order);
  } catch (error) {
    const failure = toRunFailure(error);
    parts.failedRuns.write({ ...job, status: 'failed', failure, attempt: null, error });
    await answerWithoutRunning(parts, { runId, replyTo }, 'failed', JSON.stringify(failure));
    parts.count(job, 'failed', 0);
    return 'done';
  }
}

/** Restarts a run that its executor lost. It gets a row first, so that a run that crashes its executors ends. */
async function restart(parts: ExecutorParts, order: InteractiveOrder): Promise<Verdict> {
  const { job, replyTo } = order;
  const late = machineTime() - order.deadline;
  if (late >= 0) return refuseLateRun(parts, order, late);
  const { runId } = job;
  const begun = await beginAttempt(parts, order);
  if ('attempt' in begun) return start(parts, { ...order, ...begun });
  if ('finished' in begun) {
    const { status, attempt, resultText, failure } = begun.finished;
    if (status === 'accepted' || status === 'queued' || status === 'running') return 'retry';
    const body = storedBody(status, resultText, failure);
    await answerWithoutRunning(parts, { runId, replyTo, attempt }, status, body);
    return 'done';
  }
  const failure = wholeRunFailure('attempts_exhausted', 'The executor crashed on every attempt of the run.');
  parts.failedRuns.write({ ...job, status: 'dead', failure, attempt: MAXIMUM_ATTEMPTS });
  await answerWithoutRunning(parts, { runId, replyTo }, 'dead', JSON.stringify(failure));
  parts.count(job, 'dead', 0);
  return 'done';
}

function beginAttempt(parts: ExecutorParts, order: InteractiveOrder): Promise<RedeliveredStart> {
  const { runs, worker, logger, shutdownDeadline } = parts;
  const timeoutMilliseconds = Math.min(BEGIN_TIMEOUT_MILLISECONDS, order.deadline - machineTime());
  const activity = 'restarting a run';
  return retryDuringOutage({ timeoutMilliseconds, logger, activity, shutdownDeadline }, () =>
    runs.beginRedelivered({ ...newRun(order), worker }),
  );
}

function start(parts: ExecutorParts, order: InteractiveOrder): Promise<Verdict> {
  const { runId } = order.job;
  return trackAttempt(
    parts.running,
    { runId, attempt: order.attempt, durable: false },
    async (signal, abort) => {
      if (parts.cancelledRuns.has(runId)) abort('cancelled');
      // Run the last attempt alone, so that a crash can be attributed to this run.
      const kind = isLast(order) && !parts.isolation ? 'exclusive' : 'shared';
      const taken = parts.slots.take(kind, signal, parts.draining);
      const slot = taken instanceof Promise ? await taken : taken;
      if (!slot && !signal.aborted) abort('shutdown');
      try {
        return await runAndAnswer(parts, order, signal, () => slot?.release());
      } finally {
        slot?.release();
      }
    },
  );
}

function isLast({ countedAttempts }: InteractiveOrder): boolean {
  return countedAttempts >= MAXIMUM_ATTEMPTS;
}

async function runAndAnswer(
  parts: ExecutorParts,
  order: InteractiveOrder,
  signal: AbortSignal,
  releaseSlot: () => void,
): Promise<Verdict> {
  const { job, request, attempt, deadline } = order;
  const late = machineTime() - deadline;
  if (late >= 0) return refuseLateRun(parts, order, late);
  const started = performance.now();
  const startedAt = new Date(Math.max(order.acceptedAt.getTime(), parts.clock.now()));
  const replies = replyStream(parts, order);
  const outcome = await dispatchAttempt(parts, {
    runId: job.runId,
    attempt,
    userId: job.userId,
    flowId: job.flowId,
    flowVersion: job.flowVersion,
    plan: () => parts.plans.get(job.flowId, job.flowVersion),
    request,
    durable: false,
    isolated: isLast(order),
    cache: job.cache,
    deadline,
    signal,
    maximumAnswerBytes: MAXIMUM_BODY_BYTES,
    emit: (event) => (request.stream ? replies?.emit(event) : undefined),
    watch: null,
  });
  if (signal.reason === 'shutdown' && outcome.status !== 'succeeded') return returnRun(parts, order);
  parts.count(job, outcome.status, performance.now() - started);

  const recorded = record(parts, order, outcome, startedAt);
  await parts.showMessages({ ...job, deadline }, outcome.messages, recorded);
  const answered = replies?.end(outcome.status, outcome.body, outcome.cache);
  // The remaining work needs no slot.
  releaseSlot();
  await withDeadline(recorded, RECORD_TIMEOUT_MILLISECONDS, 'the record is not stored yet').catch(
    () => undefined,
  );
  await answered;
  return 'done';
}

/** Returns a run to the queue when this executor drains; the attempt does not count. */
async function returnRun(parts: ExecutorParts, { job, attempt }: InteractiveOrder): Promise<Verdict> {
  if (attempt === 1) return 'retry';
  await parts.runs
    .release([{ runId: job.runId, attempt }])
    .catch((error: unknown) =>
      parts.logger.warn({ error, runId: job.runId }, 'could not release a run; its attempt will count'),
    );
  return 'retry';
}

/** Records the run. Never rejects. */
async function record(
  parts: ExecutorParts,
  order: InteractiveOrder,
  outcome: AttemptOutcome,
  startedAt: Date,
): Promise<RecordOutcome> {
  const run = endedRun(parts, order, outcome, startedAt);
  const recorded = await parts.records.add({ replyTo: order.replyTo, run });
  if (recorded === 'superseded') await parts.hideMessages(order.job, outcome.messages);
  else if (!isLoggedByGateway(outcome))
    parts.failedRuns.write({ ...order.job, ...outcome, attempt: order.attempt });
  return recorded;
}

/** The caller's gateway logs a passed deadline itself, because no executor may have started the run. */
function isLoggedByGateway({ status }: AttemptOutcome): boolean {
  return status === 'timed_out';
}

/** When the gateway accepted the run: by the database's clock if the gateway has measured it, else by its own. */
function acceptedAtOf({ acceptedAt, deadline, databaseDeadline }: Job): Date {
  if (deadline === null || databaseDeadline === undefined) return new Date(acceptedAt);
  return new Date(acceptedAt + databaseDeadline - deadline);
}

function newRun({ job, request }: InteractiveOrder): NewRun {
  return {
    id: job.runId,
    flowId: job.flowId,
    flowVersion: job.flowVersion,
    userId: job.userId,
    lane: 'interactive',
    pool: job.pool,
    origin: request.form === 'advanced' ? 'advanced' : 'run',
    request,
    sessionId: request.sessionId,
    limitMilliseconds: Math.max(1, (job.deadline ?? job.acceptedAt) - job.acceptedAt),
    maximumAttempts: MAXIMUM_ATTEMPTS,
    requestId: job.requestId ?? null,
  };
}

/** Lists every member, because each run creates one and spreading objects of this size is slow. */
function endedRun(
  { worker, clock }: ExecutorParts,
  order: InteractiveOrder,
  { status, body, failure, messages }: AttemptOutcome,
  startedAt: Date,
): InteractiveRun {
  const run = newRun(order);
  return {
    id: run.id,
    flowId: run.flowId,
    flowVersion: run.flowVersion,
    userId: run.userId,
    lane: run.lane,
    pool: run.pool,
    origin: run.origin,
    request: run.request,
    sessionId: run.sessionId,
    limitMilliseconds: run.limitMilliseconds,
    maximumAttempts: run.maximumAttempts,
    attempt: order.attempt,
    worker,
    status,
    result: status === 'succeeded' ? body : null,
    failure,
    acceptedAt: order.acceptedAt,
    startedAt,
    finishedAt: new Date(Math.max(startedAt.getTime(), clock.now())),
    messages,
  };
}

function replyStream(parts: ExecutorParts, { job, attempt, replyTo }: InteractiveOrder): ReplyStream | null {
  if (replyTo === undefined) return null;
  const { bus, logger, unreachableQueues, sentFrames, running } = parts;
  const { runId } = job;
  const onUnreachable = () => running.abort(runId, 'cancelled');
  return new ReplyStream({
    bus,
    logger,
    unreachableQueues,
    sentFrames,
    replyTo,
    runId,
    attempt,
    onUnreachable,
  });
}

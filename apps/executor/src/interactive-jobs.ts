import type { Job } from '@millrace/contracts';
import type { RunRequest } from '@millrace/flow';
import { MAXIMUM_BODY_BYTES } from '@millrace/messaging';
import type { Delivery, Verdict } from '@millrace/messaging';
import type { InteractiveRun, NewRun, Redelivered } from '@millrace/runs';
import { withDeadline } from '@millrace/service';
import { answerWithoutRunning, storedBody } from './answer-without-running';
import type { AttemptOutcome } from './attempt';
import type { ExecutorParts } from './executor-parts';
import { holdAttempt } from './hold-attempt';
import type { RecordOutcome } from './interactive-records';
import { patientCommit } from './patient-commit';
import { placeAttempt } from './place-attempt';
import { requestOf } from './read-job';
import { refuseLateRun } from './refuse-late-run';
import { remainingMilliseconds } from './remaining-milliseconds';
import { ReplyStream } from './reply-stream';
import { toRunFailure, wholeRunFailure } from './run-failure';

/** How many attempts an interactive run has; the last one runs with no other run in its process. */
export const MAXIMUM_ATTEMPTS = 3;
/** Somebody waits: he hears soon that the database is away. */
const BEGIN_PATIENCE_MILLISECONDS = 5_000;
/** How long a delivery stays unsettled for its record; then a database that is away does not hold up the lane. */
const RECORD_PATIENCE_MILLISECONDS = 2_000;

/** A job, and what is known of its run before it starts. */
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
 * A job whose caller waits and whose run has no row yet: run it, answer, write it down, then settle. The caller
 * waits for neither the record nor the settling, and hears of whatever goes wrong before: nothing is tried again
 * behind its back but what died with its executor.
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
  const deadline = Date.now() + remaining;
  const acceptedAt = acceptedAtOf(job);
  try {
    const request = await requestOf(job, parts);
    if (!request) throw new Error('the request of the run is not there or cannot be opened');
    const order = { job, replyTo, request, deadline, acceptedAt, attempt: 1, countedAttempts: 1 };
    if (!delivery.redelivered) return await start(parts, order);
    const holding = await parts.takeover.whoHas({ runId, patienceMilliseconds: remaining });
    if (holding === 'elsewhere') return 'done';
    return await startAgain(parts, order);
  } catch (error) {
    const failure = toRunFailure(error);
    parts.failedRuns.write({ ...job, status: 'failed', failure, attempt: null, error });
    await answerWithoutRunning(parts, { runId, replyTo }, 'failed', JSON.stringify(failure));
    parts.count(job, 'failed', 0);
    return 'done';
  }
}

/** Its last executor is gone: it is written down first, so that a run that kills its executors comes to an end. */
async function startAgain(parts: ExecutorParts, order: InteractiveOrder): Promise<Verdict> {
  const { job, replyTo } = order;
  const late = Date.now() - order.deadline;
  if (late >= 0) return refuseLateRun(parts, order, late);
  const { runId } = job;
  const begun = await begin(parts, order);
  if ('attempt' in begun) return start(parts, { ...order, ...begun });
  if ('finished' in begun) {
    const { status, attempt, resultText, failure } = begun.finished;
    if (status === 'accepted' || status === 'queued' || status === 'running') return 'retry';
    const body = storedBody(status, resultText, failure);
    await answerWithoutRunning(parts, { runId, replyTo, attempt }, status, body);
    return 'done';
  }
  const failure = wholeRunFailure('attempts_exhausted', 'The run ended its executor on every attempt.');
  parts.failedRuns.write({ ...job, status: 'dead', failure, attempt: MAXIMUM_ATTEMPTS });
  await answerWithoutRunning(parts, { runId, replyTo }, 'dead', JSON.stringify(failure));
  parts.count(job, 'dead', 0);
  return 'done';
}

function begin(parts: ExecutorParts, order: InteractiveOrder): Promise<Redelivered> {
  const { runs, worker, logger, leaving } = parts;
  const patienceMilliseconds = Math.min(BEGIN_PATIENCE_MILLISECONDS, order.deadline - Date.now());
  const what = 'beginning a run again';
  return patientCommit({ patienceMilliseconds, logger, what, leaving }, () =>
    runs.beginRedelivered({ ...newRun(order), worker }),
  );
}

function start(parts: ExecutorParts, order: InteractiveOrder): Promise<Verdict> {
  const { runId } = order.job;
  return holdAttempt(
    parts.running,
    { runId, attempt: order.attempt, durable: false },
    async (signal, abort) => {
      if (parts.cancelled.has(runId)) abort('cancelled');
      // The last attempt runs alone: whoever dies then dies of its own doing.
      const kind = isLast(order) && !parts.isolation ? 'alone' : 'shared';
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
  const late = Date.now() - deadline;
  if (late >= 0) return refuseLateRun(parts, order, late);
  const started = performance.now();
  const startedAt = new Date(Math.max(order.acceptedAt.getTime(), parts.clock.now()));
  const replies = replyStream(parts, order);
  const outcome = await placeAttempt(parts, {
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
  if (signal.reason === 'shutdown' && outcome.status !== 'succeeded') return giveBack(parts, order);
  parts.count(job, outcome.status, performance.now() - started);

  const recorded = record(parts, order, outcome, startedAt);
  await parts.showMessages({ ...job, deadline }, outcome.messages, recorded);
  const answered = replies?.end(outcome.status, outcome.body, outcome.cache);
  // What is left needs no slot.
  releaseSlot();
  await withDeadline(recorded, RECORD_PATIENCE_MILLISECONDS, 'the record waits').catch(() => undefined);
  await answered;
  return 'done';
}

/** Another executor takes it; a drain is no fault of the run's. */
async function giveBack(parts: ExecutorParts, { job, attempt }: InteractiveOrder): Promise<Verdict> {
  if (attempt === 1) return 'retry';
  await parts.runs
    .release([{ runId: job.runId, attempt }])
    .catch((error: unknown) =>
      parts.logger.warn({ error, runId: job.runId }, 'an attempt that was given back will count'),
    );
  return 'retry';
}

/** Starts writing the run down; never rejects. */
async function record(
  parts: ExecutorParts,
  order: InteractiveOrder,
  outcome: AttemptOutcome,
  startedAt: Date,
): Promise<RecordOutcome> {
  const run = endedRun(parts, order, outcome, startedAt);
  const recorded = await parts.records.add({ replyTo: order.replyTo, run });
  if (recorded === 'superseded') await parts.hideMessages(order.job, outcome.messages);
  else if (!isToldByGateway(outcome))
    parts.failedRuns.write({ ...order.job, ...outcome, attempt: order.attempt });
  return recorded;
}

/** A caller's deadline passes at its gateway as well, which knows of it also when no executor has begun the run. */
function isToldByGateway({ status }: AttemptOutcome): boolean {
  return status === 'timed_out';
}

/** When the gateway took the run in, by the database's clock where the gateway knew that. */
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

/** Names every member: spreading objects of so many is slow, and every run makes one. */
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
  const { bus, logger, gone, sent, running } = parts;
  const { runId } = job;
  const onGone = () => running.abort(runId, 'cancelled');
  return new ReplyStream({ bus, logger, gone, sent, replyTo, runId, attempt, onGone });
}

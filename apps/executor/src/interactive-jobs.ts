import type { Job, RunEnd } from '@millrace/contracts';
import type { RunRequest } from '@millrace/flow';
import type { Delivery, Verdict } from '@millrace/messaging';
import type { InteractiveRun, NewRun } from '@millrace/runs';
import { runAttempt } from './attempt';
import type { AttemptOutcome } from './attempt';
import type { ExecutorParts } from './executor-parts';
import { holdAttempt } from './hold-attempt';
import { requestOf } from './read-job';
import { ReplyStream } from './reply-stream';

/** How many attempts an interactive run has; the last one runs with no other run in its process. */
export const MAXIMUM_ATTEMPTS = 3;

/**
 * A job whose caller waits and whose run has no row yet: run it, answer, write it down, then settle. The caller
 * waits for neither the record nor the settling.
 */
export async function handleInteractiveJob(
  parts: ExecutorParts,
  job: Job,
  delivery: Delivery,
): Promise<Verdict> {
  const deadline = job.deadline ?? Date.now();
  if (deadline <= Date.now() || parts.cancelled.has(job.runId)) return 'done';
  const known = parts.running.get(job.runId);
  if (known) return known.finished;

  const request = await requestOf(job, parts.keyValue);
  if (!request)
    return answerWithoutRunning(
      parts,
      job,
      delivery,
      'failed',
      'The request of this run is no longer available.',
    );

  let attempt = 1;
  if (delivery.redelivered) {
    if (await parts.takeover.runsElsewhere(job.runId)) return 'done';
    const begun = await parts.runs.beginRedelivered({
      ...newRun(job, request, deadline),
      worker: parts.worker,
    });
    if ('exhausted' in begun)
      return answerWithoutRunning(
        parts,
        job,
        delivery,
        'dead',
        'The run ended its executor on every attempt.',
      );
    if ('finished' in begun) return 'done';
    attempt = begun.attempt;
  }
  return holdAttempt(parts.running, { runId: job.runId, attempt, durable: false }, async (signal) => {
    // The last attempt runs alone: whoever dies then dies of its own doing.
    if (!(await parts.slots.take(attempt >= MAXIMUM_ATTEMPTS, signal)))
      return signal.reason === 'shutdown' ? 'retry' : 'done';
    try {
      return await runAndAnswer(parts, { job, delivery, request, attempt, deadline, signal });
    } finally {
      parts.slots.release();
    }
  });
}

interface InteractiveAttempt {
  readonly job: Job;
  readonly delivery: Delivery;
  readonly request: RunRequest;
  readonly attempt: number;
  readonly deadline: number;
  readonly signal: AbortSignal;
}

async function runAndAnswer(parts: ExecutorParts, order: InteractiveAttempt): Promise<Verdict> {
  const { job, delivery, request, attempt, deadline, signal } = order;
  if (deadline <= Date.now()) return 'done';
  const startedAt = new Date();
  const replies = replyStream(parts, job.runId, attempt, delivery.replyTo);
  const outcome = await runAttempt(parts.attempts, {
    runId: job.runId,
    attempt,
    userId: job.userId,
    flowId: job.flowId,
    plan: await parts.plans.get(job.flowId, job.flowVersion),
    request,
    deadline,
    signal,
    emit: (event) => (request.stream ? replies?.emit(event) : undefined),
  });
  if (outcome.status === 'cancelled' && signal.reason === 'shutdown') return 'retry';
  parts.count(job, outcome.status, Date.now() - startedAt.getTime());

  const recorded = record(parts, order, outcome, startedAt);
  await parts.showMessages(job.userId, job.flowId, outcome.messages, recorded);
  const answered = replies?.end(outcome.status, outcome.body);
  await recorded;
  await answered;
  return 'done';
}

/** Starts writing the run down; the promise resolves when it is readable (or given up). */
function record(
  parts: ExecutorParts,
  order: InteractiveAttempt,
  outcome: AttemptOutcome,
  startedAt: Date,
): Promise<void> {
  const { job, request, attempt, deadline, delivery } = order;
  const run: InteractiveRun = {
    ...newRun(job, request, deadline),
    attempt,
    worker: parts.worker,
    status: outcome.status,
    result: outcome.status === 'succeeded' ? outcome.body : null,
    failure: outcome.failure,
    acceptedAt: new Date(job.acceptedAt),
    startedAt,
    finishedAt: new Date(),
    messages: outcome.messages,
  };
  return parts.records.add({ run, replyTo: delivery.replyTo });
}

function newRun(job: Job, request: RunRequest, deadline: number): NewRun {
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
    limitMilliseconds: Math.max(1, deadline - job.acceptedAt),
    maximumAttempts: MAXIMUM_ATTEMPTS,
  };
}

async function answerWithoutRunning(
  parts: ExecutorParts,
  job: Job,
  delivery: Delivery,
  status: RunEnd,
  message: string,
): Promise<Verdict> {
  const failure = {
    code: status === 'dead' ? 'attempts_exhausted' : 'internal',
    message,
    vertex: null,
    problems: [],
  };
  await replyStream(parts, job.runId, MAXIMUM_ATTEMPTS + 1, delivery.replyTo)?.end(
    status,
    JSON.stringify(failure),
  );
  parts.count(job, status, 0);
  return 'done';
}

function replyStream(
  parts: ExecutorParts,
  runId: string,
  attempt: number,
  replyTo: string | undefined,
): ReplyStream | null {
  if (replyTo === undefined) return null;
  const onUnroutable = () => parts.running.abort(runId, 'cancelled');
  return new ReplyStream({ bus: parts.bus, logger: parts.logger, replyTo, runId, attempt, onUnroutable });
}

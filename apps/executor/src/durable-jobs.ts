import type { Job, RunEnd } from '@millrace/contracts';
import type { RunRequest } from '@millrace/flow';
import type { Delivery, Verdict } from '@millrace/messaging';
import type { Claim } from '@millrace/runs';
import { runAttempt } from './attempt';
import type { AttemptOutcome } from './attempt';
import type { ExecutorParts } from './executor-parts';
import { holdAttempt } from './hold-attempt';
import { ReplyStream } from './reply-stream';

/** Waiting to be alone ends by itself: the runs in hand have deadlines. */
const NEVER = new AbortController().signal;

type Claimed = Extract<Claim, { outcome: 'claimed' }>;

/**
 * A job whose run has a row: claim it (fenced), run it, complete it (fenced), answer whoever waits, then settle. The
 * row decides; the message is a hint that may come twice or for a run that is long over.
 */
export async function handleDurableJob(parts: ExecutorParts, job: Job, delivery: Delivery): Promise<Verdict> {
  const known = parts.running.get(job.runId);
  if (known) return known.finished;
  if (delivery.redelivered && (await parts.takeover.runsElsewhere(job.runId))) return 'done';

  if (!(await parts.slots.take(false, parts.closing))) return 'retry';
  try {
    return await claimAndRun(parts, job, delivery);
  } finally {
    parts.slots.release();
  }
}

async function claimAndRun(parts: ExecutorParts, job: Job, delivery: Delivery): Promise<Verdict> {
  const claim = await parts.claims.add({
    runId: job.runId,
    worker: parts.worker,
    redelivered: delivery.redelivered,
  });
  switch (claim.outcome) {
    case 'claimed':
      return runClaimed(parts, job, delivery, claim);
    case 'finished':
      await resend(parts, job, delivery, claim);
      return 'done';
    case 'exhausted':
      parts.count(job, 'dead', 0);
      return 'done';
    case 'held':
      return 'done';
    case 'unknown':
      parts.logger.warn(
        { runId: job.runId, flowId: job.flowId },
        'a job came for a run that is not in the database',
      );
      return 'done';
  }
}

async function runClaimed(
  parts: ExecutorParts,
  job: Job,
  delivery: Delivery,
  claim: Claimed,
): Promise<Verdict> {
  const deadline = Math.min(Date.now() + claim.limitMilliseconds, job.deadline ?? Number.POSITIVE_INFINITY);
  return holdAttempt(
    parts.running,
    { runId: job.runId, attempt: claim.attempt, durable: true },
    async (signal) => {
      // The last attempt runs alone: whoever dies then dies of its own doing.
      if (claim.attempt > 1 && claim.attempt >= claim.maximumAttempts) {
        parts.slots.release();
        await parts.slots.take(true, NEVER);
      }
      const started = Date.now();
      const replies = replyStream(parts, job.runId, claim.attempt, delivery.replyTo);
      const request = claim.request as RunRequest;
      const outcome = await runAttempt(parts.attempts, {
        runId: job.runId,
        attempt: claim.attempt,
        userId: claim.userId,
        flowId: claim.flowId,
        plan: await parts.plans.get(claim.flowId, claim.flowVersion),
        request,
        deadline,
        signal,
        emit: (event) => (request.stream ? replies?.emit(event) : undefined),
      });
      if (signal.aborted && signal.reason === 'fenced') return 'done';
      if (signal.aborted && signal.reason === 'shutdown') return release(parts, job.runId, claim.attempt);
      return complete(parts, { job, claim, outcome, replies, milliseconds: Date.now() - started });
    },
  );
}

interface Completion {
  readonly job: Job;
  readonly claim: Claimed;
  readonly outcome: AttemptOutcome;
  readonly replies: ReplyStream | null;
  readonly milliseconds: number;
}

async function complete(
  parts: ExecutorParts,
  { job, claim, outcome, replies, milliseconds }: Completion,
): Promise<Verdict> {
  const stored = await parts.completions.add({
    runId: job.runId,
    attempt: claim.attempt,
    status: outcome.status,
    result: outcome.status === 'succeeded' ? outcome.body : null,
    failure: outcome.failure,
    messages: outcome.messages,
  });
  if (!stored) {
    parts.logger.info(
      { runId: job.runId, attempt: claim.attempt },
      'another attempt owns this run: result discarded',
    );
    return 'done';
  }
  parts.count(job, outcome.status, milliseconds);
  await parts.showMessages(claim.userId, claim.flowId, outcome.messages, Promise.resolve());
  await replies?.end(outcome.status, outcome.body);
  return 'done';
}

async function release(parts: ExecutorParts, runId: string, attempt: number): Promise<Verdict> {
  await parts.runs.release([{ runId, attempt }]);
  return 'retry';
}

/** The run was over before this delivery: whoever waits gets the stored end. */
async function resend(
  parts: ExecutorParts,
  job: Job,
  delivery: Delivery,
  end: Extract<Claim, { outcome: 'finished' }>,
): Promise<void> {
  const replies = replyStream(parts, job.runId, end.attempt, delivery.replyTo);
  if (!replies) return;
  const body = end.status === 'succeeded' ? JSON.stringify(end.result) : JSON.stringify(end.failure);
  await replies.end(end.status as RunEnd, body);
}

function replyStream(
  parts: ExecutorParts,
  runId: string,
  attempt: number,
  replyTo: string | undefined,
): ReplyStream | null {
  if (replyTo === undefined) return null;
  return new ReplyStream({
    bus: parts.bus,
    logger: parts.logger,
    replyTo,
    runId,
    attempt,
    onUnroutable: () => undefined,
  });
}

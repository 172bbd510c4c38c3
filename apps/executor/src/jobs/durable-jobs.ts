import type { Job } from '@millrace/contracts';
import type { VertexObserver } from '@millrace/engine';
import type { Plan, RunRequest } from '@millrace/flow';
import { MAXIMUM_BODY_BYTES } from '@millrace/messaging';
import type { Delivery, Verdict } from '@millrace/messaging';
import { isRowError } from '@millrace/runs';
import type { Claim } from '@millrace/runs';
import { machineTime } from '@millrace/service';
import { answerWithoutRunning, storedBody } from './answer-without-running';
import type { AttemptOutcome } from '../attempts/attempt';
import { claimJob } from '../intake/claim-job';
import type { ExecutorParts } from '../executor-parts';
import { releaseRun, releaseAfterOutage, confirmAlive } from './release-run';
import { trackAttempt } from './track-attempt';
import { dispatchAttempt } from '../attempts/dispatch-attempt';
import { remainingMilliseconds } from './remaining-milliseconds';
import { ReplyStream } from '../replies/reply-stream';
import { emitVertices, reportEnd, reportVertices } from '../replies/run-report';
import { wholeRunFailure } from './run-failure';
import type { Slot } from '../intake/slots';
import { scheduleRetry } from './schedule-retry';
import type { RunReport } from '../replies/watched-flows';

/** Attempts lost to outages are not counted, but a run that meets an outage every time must still end. */
const MAXIMUM_TOTAL_ATTEMPTS = 10;

type Claimed = Extract<Claim, { outcome: 'claimed' }>;

/** A job whose run has a row, with its delivery. */
export interface DeliveredJob {
  readonly job: Job;
  readonly delivery: Delivery;
  /** Whether the attempt must run isolated from all others. */
  readonly isolated: boolean;
  /** Called when the row shows that this process has claimed the run. */
  readonly onClaimed: () => void;
}

interface DurableOrder {
  readonly job: Job;
  readonly replyTo: string | undefined;
  readonly claim: Claimed;
  /** Whether the attempt must run isolated from all others. */
  readonly isolated: boolean;
}

/**
 * Handles a job whose run has a row: claims the run (fenced), executes it, completes it (fenced), answers the caller,
 * then settles the delivery. The row decides; the message is a hint that can arrive twice or after the run has ended.
 */
export async function handleDurableJob(parts: ExecutorParts, delivered: DeliveredJob): Promise<Verdict> {
  const { job, isolated } = delivered;
  // Quarantined jobs arrive one at a time; a job that waits for a slot would block the quarantine.
  const kind = job.lane === 'interactive' || isolated ? 'shared' : 'unreserved';
  const slot = await parts.slots.take(kind, parts.draining);
  if (!slot) return 'retry';
  try {
    return await claimAndRun(parts, delivered, slot);
  } finally {
    slot.release();
  }
}

async function claimAndRun(
  parts: ExecutorParts,
  { job, delivery, isolated, onClaimed }: DeliveredJob,
  slot: Slot,
): Promise<Verdict> {
  const { replyTo } = delivery;
  const { runId } = job;
  const claim = await claimJob(parts, job, delivery);
  switch (claim.outcome) {
    case 'claimed':
      onClaimed();
      return runClaimed(
        parts,
        { job, replyTo: replyTo ?? sharedEventsQueue(parts, claim), claim, isolated },
        slot,
      );
    case 'held':
      return 'done';
    case 'finished': {
      const { attempt, status, resultText, failure } = claim;
      const body = storedBody(status, resultText, failure);
      await answerWithoutRunning(parts, { runId, replyTo, attempt }, status, body);
      return 'done';
    }
    case 'exhausted': {
      const failure = wholeRunFailure(
        'attempts_exhausted',
        'Each attempt of the run ended without a result.',
      );
      const { attempt, requestId } = claim;
      parts.failedRuns.write({ ...job, status: 'dead', failure, attempt, requestId });
      await answerWithoutRunning(parts, { runId, replyTo }, 'dead', JSON.stringify(failure));
      parts.count(job, 'dead', 0);
      return 'done';
    }
    case 'unknown': {
      parts.logger.warn({ runId, flowId: job.flowId }, 'job without a run: the run is not in the database');
      const failure = wholeRunFailure('flow_refused', 'The flow has been deleted.');
      await answerWithoutRunning(parts, { runId, replyTo }, 'failed', JSON.stringify(failure));
      return 'done';
    }
  }
}

/** The event queue shared by all gateways, for a run whose message has no reply address (as after a republish). */
function sharedEventsQueue({ names }: ExecutorParts, { request }: Claimed): string | undefined {
  return request?.vertexEvents === true ? names.runEvents : undefined;
}

function runClaimed(parts: ExecutorParts, order: DurableOrder, slot: Slot): Promise<Verdict> {
  const { job, claim } = order;
  return trackAttempt(
    parts.running,
    { runId: job.runId, attempt: claim.attempt, durable: true },
    async (signal, abort) => {
      // Run the last attempt alone, so that a crash can be attributed to this run.
      const isLast = claim.countedAttempts > 1 && claim.countedAttempts >= claim.maximumAttempts;
      if (parts.isolation) {
        return runAndComplete(parts, { ...order, isolated: order.isolated || isLast }, signal, slot);
      }
      if (!isLast) return runAndComplete(parts, order, signal, slot);
      slot.release();
      const exclusiveSlot = await parts.slots.take('exclusive', signal, parts.draining);
      if (!exclusiveSlot && !signal.aborted) abort('shutdown');
      try {
        return await runAndComplete(parts, order, signal, exclusiveSlot);
      } finally {
        exclusiveSlot?.release();
      }
    },
  );
}

async function runAndComplete(
  parts: ExecutorParts,
  order: DurableOrder,
  signal: AbortSignal,
  slot: Slot | null,
): Promise<Verdict> {
  const { job, claim } = order;
  const { request } = claim;
  const started = machineTime();
  const replies = replyStream(parts, order);
  const report = request?.form === 'webhook' ? parts.watchedFlows.report(claim.flowId, job.runId) : null;
  const outcome =
    request === null
      ? undecryptableRequest()
      : await runRequest(parts, order, { request, replies, report, signal });
  // Storing and delivering the outcome needs no slot; release it for the next run.
  slot?.release();
  if (signal.reason === 'fenced') {
    parts.logger.info({ runId: job.runId, attempt: claim.attempt }, 'another attempt owns this run: stopped');
    return 'done';
  }
  if (outcome.status !== 'succeeded') {
    const isCausedByOutage = outcome.byOutage && claim.attempt - claim.retries < MAXIMUM_TOTAL_ATTEMPTS;
    if (signal.reason === 'shutdown') return releaseRun(parts, job.runId, claim.attempt);
    if (isCausedByOutage) return releaseAfterOutage(parts, job.runId, claim.attempt);
    if (await scheduleRetry(parts, { ...claim, runId: job.runId }, outcome)) return 'done';
  }
  return complete(parts, order, outcome, { replies, report }, machineTime() - started);
}

/** The outcome when the request is sealed with a key that this executor does not have; another one may have it. */
function undecryptableRequest(): AttemptOutcome {
  const failure = wholeRunFailure('internal', 'The request of the run could not be decrypted.');
  return { status: 'failed', body: JSON.stringify(failure), failure, messages: [], byOutage: true };
}

async function runRequest(
  parts: ExecutorParts,
  { job, claim, isolated, replyTo }: DurableOrder,
  {
    request,
    signal,
    ...listeners
  }: Listeners & { readonly request: RunRequest; readonly signal: AbortSignal },
): Promise<AttemptOutcome> {
  const { replies } = listeners;
  const plan = () => parts.plans.get(claim.flowId, claim.flowVersion);
  return dispatchAttempt(parts, {
    runId: job.runId,
    attempt: claim.attempt,
    userId: claim.userId,
    flowId: claim.flowId,
    flowVersion: claim.flowVersion,
    plan,
    request,
    durable: true,
    isolated,
    cache: job.cache,
    deadline: machineTime() + Math.min(claim.limitMilliseconds, remainingMilliseconds(job, parts.clock)),
    signal,
    maximumAnswerBytes: replyTo === undefined ? Number.POSITIVE_INFINITY : MAXIMUM_BODY_BYTES,
    emit: (event) => (request.stream ? replies?.emit(event) : undefined),
    watch: await createWatch(request, listeners, plan),
  });
}

/** Receivers of the events of a run: its caller, and the watchers of its flow. */
interface Listeners {
  readonly replies: ReplyStream | null;
  readonly report: RunReport | null;
}

async function createWatch(
  request: RunRequest,
  { replies, report }: Listeners,
  plan: () => Promise<Plan | null>,
): Promise<VertexObserver | null> {
  if (report) return reportVertices(report, plan);
  if (request.vertexEvents !== true || !replies) return null;
  return emitVertices((event) => replies.emit(event), plan);
}

async function complete(
  parts: ExecutorParts,
  { job, claim }: DurableOrder,
  outcome: AttemptOutcome,
  { replies, report }: Listeners,
  milliseconds: number,
): Promise<Verdict> {
  const { runId } = job;
  const { attempt, userId, flowId } = claim;
  const end = await storeEnd(parts, runId, attempt, outcome);
  if (!end) {
    parts.logger.info({ runId, attempt }, 'another attempt owns this run: result discarded');
    await confirmAlive(parts, runId, attempt);
    return 'done';
  }
  parts.count(job, end.status, milliseconds);
  parts.failedRuns.write({ ...claim, ...end, runId });
  await parts.showMessages({ userId, flowId, deadline: machineTime() }, end.messages, Promise.resolve());
  if (report) reportEnd(report, end);
  await replies?.end(end.status, end.body, end.cache);
  return 'done';
}

/** Stores the end of the run. Resolves to what was stored, or to null when another attempt owns the run. */
async function storeEnd(
  parts: ExecutorParts,
  runId: string,
  attempt: number,
  outcome: AttemptOutcome,
): Promise<AttemptOutcome | null> {
  const { status, body, failure, messages } = outcome;
  const result = status === 'succeeded' ? body : null;
  try {
    const isStored = await parts.completions.add({ runId, attempt, status, result, failure, messages });
    return isStored ? outcome : null;
  } catch (error) {
    // The database would refuse the same row on every retry, so the run would never end.
    if (!isRowError(error)) throw error;
    const refused = wholeRunFailure('internal', 'The result of the run could not be stored.');
    const end = { status: 'failed' as const, failure: refused, messages: [] };
    const isStored = await parts.completions.add({ runId, attempt, ...end, result: null });
    return isStored ? { ...end, body: JSON.stringify(refused), byOutage: false, error } : null;
  }
}

function replyStream(parts: ExecutorParts, { job, replyTo, claim }: DurableOrder): ReplyStream | null {
  if (replyTo === undefined) return null;
  const { bus, names, logger, unreachableQueues } = parts;
  // The event queue shared by all gateways is not lost with one gateway's connection.
  const sentFrames = replyTo === names.runEvents ? undefined : parts.sentFrames;
  // The run continues without its caller, who can fetch the result later.
  const onUnreachable = () => undefined;
  return new ReplyStream({
    bus,
    logger,
    unreachableQueues,
    sentFrames,
    replyTo,
    runId: job.runId,
    attempt: claim.attempt,
    onUnreachable,
  });
}

import type { Job } from '@millrace/contracts';
import type { VertexWatch } from '@millrace/engine';
import type { Plan, RunRequest } from '@millrace/flow';
import { MAXIMUM_BODY_BYTES } from '@millrace/messaging';
import type { Delivery, Verdict } from '@millrace/messaging';
import { isRowError } from '@millrace/runs';
import type { Claim } from '@millrace/runs';
import { answerWithoutRunning, storedBody } from './answer-without-running';
import type { AttemptOutcome } from './attempt';
import { claimJob } from './claim-job';
import type { ExecutorParts } from './executor-parts';
import { release, releaseAfterOutage, showAlive } from './give-back';
import { holdAttempt } from './hold-attempt';
import { placeAttempt } from './place-attempt';
import { remainingMilliseconds } from './remaining-milliseconds';
import { ReplyStream } from './reply-stream';
import { emitVertices, reportEnd, reportVertices } from './run-report';
import { wholeRunFailure } from './run-failure';
import type { Slot } from './slots';
import { triesAgain } from './try-again';
import type { RunReport } from './watched-flows';

/** An outage is no fault of the run's, but a run that meets one every time must come to an end, too. */
const MAXIMUM_ATTEMPTS_OF_ANY_KIND = 10;

type Claimed = Extract<Claim, { outcome: 'claimed' }>;

/** A job whose run has a row, as it came. */
export interface DeliveredJob {
  readonly job: Job;
  readonly delivery: Delivery;
  /** Whether the attempt is to run apart from all others. */
  readonly isolated: boolean;
  /** Called when the row says that this process has the run. */
  readonly held: () => void;
}

interface DurableOrder {
  readonly job: Job;
  readonly replyTo: string | undefined;
  readonly claim: Claimed;
  /** Whether the attempt is to run apart from all others. */
  readonly isolated: boolean;
}

/**
 * A job whose run has a row: claim it (fenced), run it, complete it (fenced), answer whoever waits, then settle. The
 * row decides; the message is a hint that may come twice or for a run that is long over.
 */
export async function handleDurableJob(parts: ExecutorParts, delivered: DeliveredJob): Promise<Verdict> {
  const { job, isolated } = delivered;
  // What comes from the quarantine comes one at a time, and must not wait there for long.
  const kind = job.lane === 'interactive' || isolated ? 'shared' : 'spare';
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
  { job, delivery, isolated, held }: DeliveredJob,
  slot: Slot,
): Promise<Verdict> {
  const { replyTo } = delivery;
  const { runId } = job;
  const claim = await claimJob(parts, job, delivery);
  switch (claim.outcome) {
    case 'claimed':
      held();
      return runClaimed(parts, { job, replyTo: replyTo ?? keptEvents(parts, claim), claim, isolated }, slot);
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
      parts.logger.warn({ runId, flowId: job.flowId }, 'a job came for a run that is not in the database');
      const failure = wholeRunFailure('flow_refused', 'The flow has been deleted.');
      await answerWithoutRunning(parts, { runId, replyTo }, 'failed', JSON.stringify(failure));
      return 'done';
    }
  }
}

/** Where the events of a run go whose message tells of nobody: who publishes a run later knows no more than its row. */
function keptEvents({ names }: ExecutorParts, { request }: Claimed): string | undefined {
  return request?.vertexEvents === true ? names.runEvents : undefined;
}

function runClaimed(parts: ExecutorParts, order: DurableOrder, slot: Slot): Promise<Verdict> {
  const { job, claim } = order;
  return holdAttempt(
    parts.running,
    { runId: job.runId, attempt: claim.attempt, durable: true },
    async (signal, abort) => {
      // The last attempt runs alone: whoever dies then dies of its own doing.
      const isLast = claim.countedAttempts > 1 && claim.countedAttempts >= claim.maximumAttempts;
      if (parts.isolation) {
        return runAndComplete(parts, { ...order, isolated: order.isolated || isLast }, signal, slot);
      }
      if (!isLast) return runAndComplete(parts, order, signal, slot);
      slot.release();
      const all = await parts.slots.take('alone', signal, parts.draining);
      if (!all && !signal.aborted) abort('shutdown');
      try {
        return await runAndComplete(parts, order, signal, all);
      } finally {
        all?.release();
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
  const started = Date.now();
  const replies = replyStream(parts, order);
  const report = request?.form === 'webhook' ? parts.watched.report(claim.flowId, job.runId) : null;
  const outcome =
    request === null ? unopened() : await runRequest(parts, order, { request, replies, report, signal });
  // To be written down and told it needs no slot: the next run begins meanwhile.
  slot?.release();
  if (signal.reason === 'fenced') {
    parts.logger.info({ runId: job.runId, attempt: claim.attempt }, 'another attempt owns this run: stopped');
    return 'done';
  }
  if (outcome.status !== 'succeeded') {
    const isOurFault = outcome.byOutage && claim.attempt - claim.retries < MAXIMUM_ATTEMPTS_OF_ANY_KIND;
    if (signal.reason === 'shutdown') return release(parts, job.runId, claim.attempt);
    if (isOurFault) return releaseAfterOutage(parts, job.runId, claim.attempt);
    if (await triesAgain(parts, { ...claim, runId: job.runId }, outcome)) return 'done';
  }
  return complete(parts, order, outcome, { replies, report }, Date.now() - started);
}

/** The request was sealed with a key that is not configured here; another executor may have it. */
function unopened(): AttemptOutcome {
  const failure = wholeRunFailure('internal', 'The request of the run could not be opened.');
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
  return placeAttempt(parts, {
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
    deadline: Date.now() + Math.min(claim.limitMilliseconds, remainingMilliseconds(job, parts.clock)),
    signal,
    maximumAnswerBytes: replyTo === undefined ? Number.POSITIVE_INFINITY : MAXIMUM_BODY_BYTES,
    emit: (event) => (request.stream ? replies?.emit(event) : undefined),
    watch: await watchOf(request, listeners, plan),
  });
}

/** Who hears of a run: whoever waits for it, and those who watch its flow. */
interface Listeners {
  readonly replies: ReplyStream | null;
  readonly report: RunReport | null;
}

async function watchOf(
  request: RunRequest,
  { replies, report }: Listeners,
  plan: () => Promise<Plan | null>,
): Promise<VertexWatch | null> {
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
  const end = await store(parts, runId, attempt, outcome);
  if (!end) {
    parts.logger.info({ runId, attempt }, 'another attempt owns this run: result discarded');
    await showAlive(parts, runId, attempt);
    return 'done';
  }
  parts.count(job, end.status, milliseconds);
  parts.failedRuns.write({ ...claim, ...end, runId });
  await parts.showMessages({ userId, flowId, deadline: Date.now() }, end.messages, Promise.resolve());
  if (report) reportEnd(report, end);
  await replies?.end(end.status, end.body, end.cache);
  return 'done';
}

/** What was stored as the run's end; null when the run is another attempt's. */
async function store(
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
    // What the database refuses today it refuses tomorrow: without this the run would go on for ever.
    if (!isRowError(error)) throw error;
    const refused = wholeRunFailure('internal', 'The result of the run could not be stored.');
    const end = { status: 'failed' as const, failure: refused, messages: [] };
    const isStored = await parts.completions.add({ runId, attempt, ...end, result: null });
    return isStored ? { ...end, body: JSON.stringify(refused), byOutage: false, error } : null;
  }
}

function replyStream(parts: ExecutorParts, { job, replyTo, claim }: DurableOrder): ReplyStream | null {
  if (replyTo === undefined) return null;
  const { bus, names, logger, gone } = parts;
  // What all gateways share is no gateway's to lose.
  const sent = replyTo === names.runEvents ? undefined : parts.sent;
  // The run goes on without its caller: he may come back for the result.
  const onGone = () => undefined;
  return new ReplyStream({
    bus,
    logger,
    gone,
    sent,
    replyTo,
    runId: job.runId,
    attempt: claim.attempt,
    onGone,
  });
}

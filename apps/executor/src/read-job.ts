import { setTimeout as sleep } from 'node:timers/promises';
import type { Job } from '@millrace/contracts';
import type { RunRequest } from '@millrace/flow';
import type { Delivery } from '@millrace/messaging';
import type { ExecutorDependencies } from './executor-dependencies';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const VERSION: Job['schemaVersion'] = 1;
/** A store that restarts is back within this time. */
const CLAIM_CHECK_PATIENCE_MILLISECONDS = 2_000;
const CLAIM_CHECK_PAUSE_MILLISECONDS = 200;

/**
 * The job a delivery carries, or null when it is no job this version understands. Members that a later version adds
 * are passed over; one that changes the meaning of these has another schema version.
 */
export function readJob(delivery: Delivery): Job | null {
  const job = members(delivery);
  return job !== null && isJob(job) ? (job as unknown as Job) : null;
}

/** Whether it is a job of another version whose run has a row: nothing is lost with it, and its end comes by the row. */
export function isOfAnotherVersion(delivery: Delivery): boolean {
  const job = members(delivery);
  return Number.isSafeInteger(job?.schemaVersion) && job?.schemaVersion !== VERSION && job?.durable === true;
}

function members({ body }: Delivery): Record<keyof Job, unknown> | null {
  try {
    return JSON.parse(body.toString()) as Record<keyof Job, unknown> | null;
  } catch {
    return null;
  }
}

function isJob(job: Record<keyof Job, unknown>): boolean {
  return (
    job.schemaVersion === VERSION &&
    [job.runId, job.flowId, job.userId].every((id) => typeof id === 'string' && UUID.test(id)) &&
    (job.lane === 'interactive' || job.lane === 'background') &&
    typeof job.pool === 'string' &&
    typeof job.durable === 'boolean' &&
    Number.isSafeInteger(job.flowVersion) &&
    typeof job.acceptedAt === 'number' &&
    (job.deadline === null || typeof job.deadline === 'number') &&
    (job.databaseDeadline === undefined || typeof job.databaseDeadline === 'number') &&
    typeof job.request === 'object' &&
    (job.claimCheck === null || typeof job.claimCheck === 'string') &&
    (job.requestId === undefined || typeof job.requestId === 'string')
  );
}

/**
 * An interactive job's request: with the job, or where its claim check points; null when that is gone. Rejects when
 * the store stays away.
 */
export async function requestOf(
  job: Job,
  { keyValue, seal }: Pick<ExecutorDependencies, 'keyValue' | 'seal'>,
): Promise<RunRequest | null> {
  if (job.request) return seal.open(job.request);
  if (!job.claimCheck) return null;
  const giveUpAt = Date.now() + CLAIM_CHECK_PATIENCE_MILLISECONDS;
  for (;;) {
    try {
      const text = await keyValue.get(job.claimCheck);
      return text === null ? null : seal.read(text);
    } catch (error) {
      if (error instanceof SyntaxError || Date.now() >= giveUpAt) throw error;
      await sleep(CLAIM_CHECK_PAUSE_MILLISECONDS);
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { READABLE_JOB_VERSIONS, readJobBatch, REDELIVERED_HEADER } from '@millrace/messages';
import type { Job } from '@millrace/messages';
import type { RunRequest } from '@millrace/flow';
import type { KeyValueStore } from '@millrace/key-value';
import type { Delivery } from '@millrace/messaging';
import type { RequestSeal } from '@millrace/runs';
import { machineTime } from '@millrace/service';
import type { SharedClock } from '@millrace/service';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Redeliveries on a background lane before a message is settled early; after five, the broker treats it as poison. */
const REDELIVERY_THRESHOLD = 3;
/**
 * The same for the quarantine, where a message is poison after two redeliveries and runs execute one by one if
 * possible.
 */
const QUARANTINE_REDELIVERY_THRESHOLD = 1;
/** A store that restarts is available again within this time. */
const CLAIM_CHECK_TIMEOUT_MILLISECONDS = 2_000;
const CLAIM_CHECK_PAUSE_MILLISECONDS = 200;

/** A job with its delivery. */
export interface DeliveredJob {
  readonly job: Job;
  readonly delivery: Delivery;
  /** True for a run from the quarantine: each of its attempts must be isolated from all others. */
  readonly isolated: boolean;
  /** True when the message was redelivered so often that the broker may soon treat it as poison. */
  readonly isNearDeliveryLimit: boolean;
}

type JobMembers = Record<keyof Job, unknown>;

/** A job of a batch, as it was read. */
export interface BatchedJob {
  /** Any JSON value. */
  readonly job: unknown;
  /** Null when this release cannot read the job. */
  readonly delivered: DeliveredJob | null;
}

/**
 * Returns the job of a delivery, or null when it is not a job of a version that this release reads. Members added by a
 * later version are ignored; a version that changes the meaning of existing members has another schema version.
 */
export function readJob(delivery: Delivery, isQuarantined: boolean): DeliveredJob | null {
  return deliveredJob(members(delivery), delivery, isQuarantined);
}

/**
 * Returns the jobs of a delivery of type `jobs`, or null when it is not a list. A job that this release cannot read is
 * null.
 */
export function readJobs(delivery: Delivery): readonly BatchedJob[] | null {
  const jobs = readJobBatch(delivery.body);
  if (jobs === null) return null;
  return jobs.map((job) => ({ job, delivered: deliveredJob(job as JobMembers | null, delivery, false) }));
}

function deliveredJob(
  read: JobMembers | null,
  delivery: Delivery,
  isQuarantined: boolean,
): DeliveredJob | null {
  if (read === null || !isJob(read)) return null;
  const job = read as unknown as Job;
  const redelivered = delivery.redelivered || delivery.headers[REDELIVERED_HEADER] === true;
  return {
    job,
    delivery: redelivered === delivery.redelivered ? delivery : { ...delivery, redelivered },
    isolated: isQuarantined && job.durable,
    isNearDeliveryLimit: isNearDeliveryLimit(job, delivery, isQuarantined),
  };
}

/**
 * Returns whether the message is a job of another version whose run has a row; the run is not lost with the message.
 */
export function isOfAnotherVersion(delivery: Delivery): boolean {
  const job = members(delivery);
  return Number.isSafeInteger(job?.schemaVersion) && !isReadable(job?.schemaVersion) && job?.durable === true;
}

function members({ body }: Delivery): JobMembers | null {
  try {
    return JSON.parse(body.toString()) as JobMembers | null;
  } catch {
    return null;
  }
}

function isReadable(version: unknown): boolean {
  return READABLE_JOB_VERSIONS.some((readable) => readable === version);
}

function isJob(job: JobMembers): boolean {
  return (
    isReadable(job.schemaVersion) &&
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
 * Returns whether a message is near the delivery limit of its queue, to which repeated connection failures count, too.
 * Only runs that have a row can continue without their message.
 */
function isNearDeliveryLimit({ durable }: Job, { headers }: Delivery, isQuarantined: boolean): boolean {
  const threshold = isQuarantined ? QUARANTINE_REDELIVERY_THRESHOLD : REDELIVERY_THRESHOLD;
  return durable && Number(headers['x-delivery-count'] ?? 0) >= threshold;
}

/**
 * Resolves to the request of an interactive job, from the job or from its payload reference (`claimCheck`); to null
 * when that is missing. Rejects when the store stays unavailable.
 */
export async function requestOf(
  job: Job,
  { keyValue, seal }: { readonly keyValue: KeyValueStore; readonly seal: RequestSeal },
): Promise<RunRequest | null> {
  if (job.request) return seal.open(job.request);
  if (!job.claimCheck) return null;
  const giveUpAt = machineTime() + CLAIM_CHECK_TIMEOUT_MILLISECONDS;
  for (;;) {
    try {
      const text = await keyValue.get(job.claimCheck);
      return text === null ? null : seal.read(text);
    } catch (error) {
      if (machineTime() >= giveUpAt) throw error;
      await sleep(CLAIM_CHECK_PAUSE_MILLISECONDS);
    }
  }
}

/**
 * Returns the time that the run of a job has left; 0 or less when its deadline has passed, Infinity when it has none.
 * Never more than the time that was left when the job was sent.
 *
 * Sender and executor compare their clocks with the database's. If one of them could not, or the sender is of a version
 * that does not, the deadline is compared with this machine's clock. The broker drops a job whose deadline passes in
 * its queue, so a deadline that seems to have passed shows that the clocks differ; then the run gets the time that was
 * left when its job was sent.
 */
export function remainingMilliseconds(
  { deadline, acceptedAt, databaseDeadline }: Job,
  clock: SharedClock,
): number {
  if (deadline === null) return Number.POSITIVE_INFINITY;
  const initialMilliseconds = deadline - acceptedAt;
  if (databaseDeadline !== undefined && clock.isShared) {
    // Timers take whole milliseconds.
    return Math.min(initialMilliseconds, Math.floor(databaseDeadline - clock.now()));
  }
  const left = deadline - machineTime();
  return left > 0 && left <= initialMilliseconds ? left : initialMilliseconds;
}

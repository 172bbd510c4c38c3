import type { Job } from '@millrace/contracts';
import type { RunRequest } from '@millrace/flow';
import type { KeyValueStore } from '@millrace/key-value';
import type { Delivery } from '@millrace/messaging';

/** The job a delivery carries, or null when it is no job this version understands. */
export function readJob({ body }: Delivery): Job | null {
  try {
    const job = JSON.parse(body.toString()) as Partial<Job> | null;
    return job?.schemaVersion === 1 && typeof job.runId === 'string' && typeof job.flowId === 'string'
      ? (job as Job)
      : null;
  } catch {
    return null;
  }
}

/** An interactive job's request: with the job, or where its claim check points; null when that is gone. */
export async function requestOf(job: Job, keyValue: KeyValueStore): Promise<RunRequest | null> {
  if (job.request) return job.request;
  if (!job.claimCheck) return null;
  const text = await keyValue.get(job.claimCheck).catch(() => null);
  return text === null ? null : (JSON.parse(text) as RunRequest);
}

import type { RunEnd, RunFailure } from '@millrace/messages';
import type { RunRecord, RunStatus, RunStore } from '@millrace/runs';
import type { RunEnding } from './pending-run';

/**
 * Returns the ending that a record describes, as its caller would have received it; null while the run is in progress. A run that
 * waits for a person has ended for its caller.
 */
export function storedEnding({ status, resultText, failure }: RunRecord): RunEnding | null {
  if (status === 'succeeded') return { kind: 'succeeded', body: Buffer.from(resultText ?? 'null') };
  if (status === 'suspended') return { kind: 'suspended' };
  if (isInProgress(status)) return null;
  return { kind: 'failed', status: status as RunEnd, failure: failure ?? defaultFailure(status) };
}

export function isInProgress(status: RunStatus): boolean {
  return status === 'accepted' || status === 'queued' || status === 'running';
}

/**
 * Resolves to the record of a run once it has an ending, to null when there is no such run, and to undefined while it is in
 * progress. Those who wait ask this many times, so that of a run in progress only the status is read.
 */
export async function endedRecord(
  runs: Pick<RunStore, 'status' | 'find'>,
  userId: string,
  runId: string,
): Promise<RunRecord | null | undefined> {
  const status = await runs.status(userId, runId);
  if (status === null) return null;
  if (isInProgress(status)) return undefined;
  const record = await runs.find(userId, runId);
  // A suspended run can go on between the two.
  return record !== null && isInProgress(record.status) ? undefined : record;
}

function defaultFailure(status: string): RunFailure {
  const code = { cancelled: 'cancelled', timed_out: 'deadline_exceeded', dead: 'attempts_exhausted' }[status];
  return { code: code ?? 'internal', message: `The run ended as ${status}.`, vertex: null, problems: [] };
}

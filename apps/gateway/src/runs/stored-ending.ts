import type { RunEnd, RunFailure } from '@millrace/messages';
import type { RunRecord } from '@millrace/runs';
import type { RunEnding } from './pending-run';

/**
 * Returns the ending that a record describes, as its caller would have received it; null while the run is in progress. A run that
 * waits for a person has ended for its caller.
 */
export function storedEnding({ status, resultText, failure }: RunRecord): RunEnding | null {
  if (status === 'succeeded') return { kind: 'succeeded', body: Buffer.from(resultText ?? 'null') };
  if (status === 'suspended') return { kind: 'suspended' };
  if (status === 'accepted' || status === 'queued' || status === 'running') return null;
  return { kind: 'failed', status: status as RunEnd, failure: failure ?? defaultFailure(status) };
}

function defaultFailure(status: string): RunFailure {
  const code = { cancelled: 'cancelled', timed_out: 'deadline_exceeded', dead: 'attempts_exhausted' }[status];
  return { code: code ?? 'internal', message: `The run ended as ${status}.`, vertex: null, problems: [] };
}

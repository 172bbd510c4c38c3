import type { RecordSettings } from '@millrace/flow';
import type { RunEnd } from '@millrace/messages';

/** What is kept of the vertices of runs. */
export type RecordPolicy = Required<RecordSettings>;

/** Returns the policy of a flow: its own settings, else those of the installation. */
export function policyOf(installation: RecordPolicy, flow: RecordSettings | null | undefined): RecordPolicy {
  if (flow === null || flow === undefined) return installation;
  return {
    sampleRate: flow.sampleRate ?? installation.sampleRate,
    values: flow.values ?? installation.values,
  };
}

/** What is shown of one attempt: its vertices, or these with their inputs and outputs. */
export interface KeptRecord {
  /** Why it is kept; `running` for an attempt that goes on, of which nothing is kept yet. */
  readonly reason: 'failed' | 'sampled' | 'running';
  readonly withValues: boolean;
}

/**
 * Decides what is kept of an attempt that ended so; null for nothing. Whether a run is part of the sample depends on its
 * id alone, so that all attempts of a run agree.
 */
export function decideRecord(
  { sampleRate, values }: RecordPolicy,
  runId: string,
  status: RunEnd,
): KeptRecord | null {
  const hasFailed = status !== 'succeeded' && status !== 'cancelled';
  if (hasFailed) return { reason: 'failed', withValues: values !== 'off' };
  return placeInSample(runId) < sampleRate ? { reason: 'sampled', withValues: values === 'all' } : null;
}

/** Returns a number from 0 to below 1 that is made of the random digits at the end of the id. */
function placeInSample(runId: string): number {
  return Number.parseInt(runId.slice(-8), 16) / 0x1_0000_0000;
}

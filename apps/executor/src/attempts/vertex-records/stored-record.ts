import type { RunObservations, RunUsage } from '@millrace/runs';
import type { AttemptRecord } from './run-recorder';
import { addUsage } from './usage-totals';

const NOTHING: RunObservations = {};

/** Returns the record of an attempt as it is stored; `earlierUsage` is what earlier attempts used, as stored. */
export function storedRecord(
  record: AttemptRecord | undefined,
  earlierUsage: string | null,
): RunObservations {
  if (record === undefined || (record.trace === null && record.usage === null)) return NOTHING;
  const { trace, usage } = record;
  if (usage === null) return { trace };
  const earlier = earlierUsage === null ? null : (JSON.parse(earlierUsage) as RunUsage);
  return { trace, usage: JSON.stringify(addUsage(earlier, usage)) };
}

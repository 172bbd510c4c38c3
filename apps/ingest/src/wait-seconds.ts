import { HttpError } from '@millrace/http';
import type { FlowReference } from '@millrace/runs';

/** Returns how long the sender of a webhook waits for the answer of the flow; 0 where the flow does not allow it. */
export function waitSecondsOf({ settings }: FlowReference, query: URLSearchParams): number {
  const text = query.get('wait');
  if (text === null) return 0;
  if (!/^\d{1,9}$/.test(text))
    throw new HttpError('invalid_value', 'wait must be a whole number of seconds.');
  return Math.min(Number(text), settings.webhook?.maximumWaitSeconds ?? 0);
}

import { HttpError } from '@millrace/http';
import type { FlowReference } from '@millrace/runs';

/**
 * Returns how long the sender of a webhook waits for the answer of the flow: as long as `?wait=N` or the flow says, 0
 * where the flow does not allow it.
 */
export function waitSecondsOf({ settings }: FlowReference, query: URLSearchParams): number {
  const { waitSeconds = 0, maximumWaitSeconds = waitSeconds } = settings.webhook ?? {};
  const text = query.get('wait');
  if (text === null) return waitSeconds;
  if (!/^\d{1,9}$/.test(text))
    throw new HttpError('invalid_value', 'wait must be a whole number of seconds.');
  return Math.min(Number(text), Math.max(maximumWaitSeconds, waitSeconds));
}

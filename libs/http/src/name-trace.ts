import type { ServerResponse } from 'node:http';
import { recordedTraceparent } from '@millrace/service';

/** Names the trace of the request in the `traceparent` of its response, if it is recorded. */
export function nameTrace(response: ServerResponse): void {
  const traceparent = recordedTraceparent();
  if (traceparent !== null && !response.hasHeader('traceparent'))
    response.setHeader('traceparent', traceparent);
}

import type { OutgoingFetch } from './create-outgoing-fetch';

const DEADLINE_MILLISECONDS = 5_000;
const MAXIMUM_BYTES = 1_048_576;

/** Every address: an operator has named those of the servers that are called with it. */
export const everyAddress = ['0.0.0.0/0', '::/0'];

/**
 * Returns `fetch` with a deadline, a bound of the body and without redirects; the body of the answer is read. Rejects as `fetch` does.
 */
export function boundedFetch(fetchAny: OutgoingFetch) {
  return async (url: string, init: RequestInit = {}): Promise<Response> => {
    const deadline = AbortSignal.timeout(DEADLINE_MILLISECONDS);
    const signal = init.signal ? AbortSignal.any([init.signal, deadline]) : deadline;
    const response = await fetchAny(url, { ...init, redirect: 'manual', signal });
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body ?? []) {
      length += chunk.length;
      if (length > MAXIMUM_BYTES) throw new Error(`${new URL(url).origin} answered with over 1 MiB`);
      chunks.push(chunk);
    }
    const { status } = response;
    const body = [101, 204, 205, 304].includes(status) ? null : Buffer.concat(chunks);
    return new Response(body, { status, headers: response.headers });
  };
}

import { HttpError } from '@millrace/http';
import { createOutgoingFetch } from '@millrace/service';
import type { OutgoingFetch } from '@millrace/service';

const DEADLINE_MILLISECONDS = 5_000;
const MAXIMUM_BYTES = 1_048_576;
const RETRY_SECONDS = '2';

/** Every address: an operator has named those of issuers. */
const EVERYWHERE = ['0.0.0.0/0', '::/0'];

/** Creates the `fetch` for requests to issuers. */
export function createIssuerFetch(): OutgoingFetch {
  return createOutgoingFetch({ allow: EVERYWHERE });
}

/** The issuer did not answer in time, or not as OpenID Connect has it. */
export function issuerUnavailable(name: string, cause: unknown): HttpError {
  return new HttpError('issuer_unavailable', `The issuer "${name}" is not available.`, {
    headers: { 'retry-after': RETRY_SECONDS },
    cause,
  });
}

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

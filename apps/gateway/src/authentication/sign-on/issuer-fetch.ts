import { HttpError } from '@millrace/http';
import { createOutgoingFetch, everyAddress } from '@millrace/service';
import type { OutgoingFetch } from '@millrace/service';

const RETRY_SECONDS = '2';

/** Creates the `fetch` for requests to issuers. */
export function createIssuerFetch(): OutgoingFetch {
  return createOutgoingFetch({ allow: everyAddress });
}

/** The issuer did not answer in time, or not as OpenID Connect has it. */
export function issuerUnavailable(name: string, cause: unknown): HttpError {
  return new HttpError('issuer_unavailable', `The issuer "${name}" is not available.`, {
    headers: { 'retry-after': RETRY_SECONDS },
    cause,
  });
}

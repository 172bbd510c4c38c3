import { missing } from './validation-items';
import { invalidRequest } from './validator';

/** Returns the body of a request that needs one. Throws invalid_request when it is empty; null is a value of a wrong type. */
export function requireBody(body: unknown, { repeated = 1 }: { readonly repeated?: number } = {}): unknown {
  if (body !== undefined) return body;
  throw invalidRequest([missing(['body'], null)], repeated);
}

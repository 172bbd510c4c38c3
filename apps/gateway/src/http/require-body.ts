import { missing } from './fault-items';
import { invalidRequest } from './validator';

/** The body of a request that needs one; told as missing when it is empty or null. */
export function requireBody(body: unknown, { repeated = 1 }: { readonly repeated?: number } = {}): unknown {
  if (body !== undefined && body !== null) return body;
  throw invalidRequest([missing(['body'], null)], repeated);
}

import type { ErrorCode } from '@millrace/http';
import { confinedRoute } from '../http/routing/end-user-use';
import type { DocumentedRoute } from '../http/routing/route';
import { unknownMembersOf } from '../http/routing/unknown-members';

const EVERYWHERE: readonly ErrorCode[] = ['undecodable_url', 'internal'];
const KEY_REFUSED: readonly ErrorCode[] = ['key_missing', 'key_invalid'];
const END_USER_REFUSED: readonly ErrorCode[] = ['end_user_missing', 'end_user_invalid'];
const WITH_A_KEY: readonly ErrorCode[] = [
  'session_invalid',
  'token_invalid',
  'issuer_unavailable',
  'permission_denied',
  'rate_limited',
  // Any value can contain text that cannot be stored.
  'invalid_value',
  'database_unavailable',
  'encryption_failed',
  'secret_store_unavailable',
];
const WITH_A_BODY: readonly ErrorCode[] = [
  'invalid_json',
  'invalid_request',
  'undecodable_body',
  'body_too_large',
  'body_late',
  'too_many_bodies',
];

/** Returns all error codes of a route: its own, and those of keys, bodies and parameters. */
export function routeErrors({
  method,
  access,
  body,
  path,
  operation,
}: DocumentedRoute): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>(operation.errors);
  const hasParameters = operation.query !== undefined || path.includes(':');
  const refusesMembers = unknownMembersOf({ method, path }) !== 'ignored';
  for (const code of EVERYWHERE) codes.add(code);
  if (access !== 'public') {
    const refused = access.wording === 'agents' ? (['agent_key_refused'] as const) : KEY_REFUSED;
    for (const code of [...refused, ...WITH_A_KEY]) codes.add(code);
    if (confinedRoute({ method, path }).use !== null) for (const code of END_USER_REFUSED) codes.add(code);
  }
  if (body !== undefined) for (const code of WITH_A_BODY) codes.add(code);
  if (hasParameters || refusesMembers) codes.add('invalid_request');
  return [...codes];
}

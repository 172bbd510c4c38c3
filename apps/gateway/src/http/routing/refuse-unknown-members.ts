import type { ValidationItem } from '../validation/validation-item';
import { extra, MAXIMUM_ITEMS } from '../validation/validation-items';
import { invalidRequest } from '../validation/validator';
import type { Call, Route } from './route';
import { unknownMembersOf } from './unknown-members';

/** The parameter that can contain the key on every route. */
const KEY = 'x-api-key';

/** Returns the route; one that takes no body and refuses unknown members reads it as JSON. */
export function withRefusedBody(route: Route): Route {
  const takesNone = route.body === undefined && route.method !== 'GET';
  return takesNone && unknownMembersOf(route) === 'refused' ? { ...route, body: 'json' } : route;
}

/**
 * Returns the check of a route's requests, which throws invalid_request for unknown members of the query, and for a body
 * where the route takes none. The schema of a body refuses its unknown members.
 */
export function memberRefusal(route: Route): (call: Call) => void {
  const decision = unknownMembersOf(route);
  if (decision === 'ignored') return () => undefined;
  const known = new Set([KEY, ...Object.keys(route.operation.query ?? {})]);
  const takesNoBody = decision === 'refused' && route.operation.body === undefined;
  return (call) => {
    const items: ValidationItem[] = [];
    // Most runs have no query, which is parsed on first use.
    if (call.request.url?.includes('?') === true)
      for (const [name, value] of call.query) if (!known.has(name)) items.push(extra(['query', name], value));
    if (takesNoBody) items.push(...bodyItems(call.body));
    if (items.length > 0) throw invalidRequest(items.slice(0, MAXIMUM_ITEMS));
  };
}

/** Returns one item for each member of a body; clients send an empty object, or null, for no body. */
function bodyItems(body: unknown): readonly ValidationItem[] {
  if (body === undefined || body === null) return [];
  if (typeof body !== 'object' || Array.isArray(body)) return [extra(['body'], body)];
  return Object.entries(body).map(([name, value]) => extra(['body', name], value));
}

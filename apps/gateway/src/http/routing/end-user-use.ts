import type { Method } from './route';
import { rightOf } from './route-rights';
import type { Place, Right } from './route-rights';

const TOOLS = ['/api/v1/mcp', '/api/v1/mcp/project/:project_id'];
/** The routes that start a run in a session of an end user, or list what is in theirs. */
const IN_SESSIONS: ReadonlySet<string> = new Set([
  'POST /api/v1/run/:flow',
  'POST /api/v1/run/advanced/:flow',
  'POST /run/:flow_id',
  'POST /api/v2/workflows',
  'POST /api/v1/agui/:flow_id',
  'POST /api/v1/a2a/:flow_id/jsonrpc',
  'POST /api/v1/responses',
  'POST /v1/chat/completions',
  ...TOOLS.flatMap((root) => [`POST ${root}/streamable`, `GET ${root}/sse`]),
  'GET /api/v1/monitor/messages',
  'GET /api/v1/monitor/messages/sessions',
]);

/** Why a route takes an end user: it is about their sessions, or about runs that must be theirs. */
export type EndUserUse = 'sessions' | 'runs';

function endUserUse(route: string, place: Place): EndUserUse | null {
  if (IN_SESSIONS.has(route)) return 'sessions';
  return place.startsWith('run in ') ? 'runs' : null;
}

/** What decides which keys a route serves. */
export interface ConfinedRoute {
  readonly right: Right;
  readonly place: Place;
  /** Whether members need the right to see payloads. */
  readonly showsPayloads: boolean;
  /** Null where it takes no end user. */
  readonly use: EndUserUse | null;
}

/** Returns what decides which keys a route serves. */
export function confinedRoute(route: { readonly method: Method; readonly path: string }): ConfinedRoute {
  const row = rightOf(route);
  return { ...row, use: endUserUse(`${route.method} ${route.path}`, row.place) };
}

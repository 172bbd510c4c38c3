import { consoleSessionBodySchema } from './console-session-body';
import { consoleSessionListSchema, consoleSessionSchema } from './console-session-schemas';
import type { ConsoleSessionBody } from './console-session-body';
import { HttpError } from '@millrace/http';
import type { UserStore } from '@millrace/runs';
import { actorOf } from '../../authentication/actor-of';
import type { Authenticator } from '../../authentication/authenticator';
import { requireAdmin } from '../../authentication/require-admin';
import { isFromOwnPage } from '../../http/own-origin';
import { booleanParameter } from '../../http/validation/query';
import { requireBody } from '../../http/validation/require-body';
import { forManagement } from '../../http/routing/access';
import { pathParameter } from '../../http/routing/route';
import type { Call, KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { createValidator } from '../../http/validation/validator';
import { json, jsonBody, nothing, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import type { SignedIn } from './console-session-view';
import { sessionView, signedInView } from './console-session-view';
import { endConsoleSession, startSession } from './start-session';
import type { StartSessionOptions } from './start-session';

export interface ConsoleSessionRoutesOptions extends StartSessionOptions {
  readonly authenticator: Authenticator;
  readonly users: Pick<UserStore, 'find'>;
  readonly publicUrl: string | undefined;
}

const MAXIMUM_LISTED_SESSIONS = 1_000;
const OTHER_ORIGIN = 'Sessions are for the pages of this gateway, which send the header x-millrace-console.';
const check = createValidator(consoleSessionBodySchema);
const headers = { 'x-millrace-console': 'Must be `1`; without it, the cookie does not count' };
const operations = {
  signIn: {
    summary: 'Sign in to the web console: exchange an API key for a session cookie',
    headers,
    body: jsonBody(consoleSessionBodySchema),
    answers: { 200: json('The session; its token is in `Set-Cookie`', consoleSessionSchema) },
    errors: ['key_invalid', 'permission_denied', 'rate_limited', 'database_unavailable'],
  },
  read: {
    summary: 'Read the session of the web console',
    headers,
    answers: { 200: json('The session', consoleSessionSchema) },
    errors: ['session_invalid', 'rate_limited', 'database_unavailable', 'issuer_unavailable'],
  },
  signOut: {
    summary: 'Sign out of the web console',
    headers,
    answers: { 204: nothing('The session, if there was one, has ended') },
    errors: ['permission_denied', 'rate_limited', 'database_unavailable'],
  },
  list: {
    summary: 'List your sessions of the web console, newest first',
    query: { all_users: queryParameter('boolean', 'Sessions of all users, for admins') },
    answers: { 200: json('The sessions that have not ended', consoleSessionListSchema) },
  },
  end: {
    summary: 'End a session of the web console; admins can end those of others',
    answers: { 204: nothing('The session has ended') },
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;

/** Routes that sign in to the web console and out of it, and that list and end sessions. */
export function consoleSessionRoutes(options: ConsoleSessionRoutesOptions): readonly Route[] {
  const { authenticator, cookie, consoleSessions, users, publicUrl } = options;
  const answer = async (call: Call, signedIn: SignedIn) => {
    const user = await users.find(signedIn.principal.userId);
    if (!user) throw new HttpError('session_invalid', 'The user was deleted.');
    call.response.setHeader('cache-control', 'no-store');
    sendJson(call.response, 200, signedInView(user, signedIn));
  };
  const signIn = async (call: Call) => {
    const { request, response } = call;
    requireOwnPage(call, publicUrl);
    check(requireBody(call.body));
    const principal = await authenticator.signIn(request, (call.body as ConsoleSessionBody).api_key);
    const started = await startSession(options, call, principal);
    response.setHeader('set-cookie', started.cookie);
    await answer(call, started);
  };
  const read = async (call: Call) => {
    const principal = await authenticator.session(call.request);
    const { expiresAt, session } = principal;
    await answer(call, { principal, sessionId: session.id, expiresAt });
  };
  const end = (call: Parameters<typeof actorOf>[0], id: string, userId: string | null) =>
    endConsoleSession(options, actorOf(call), { id, userId });
  const signOut = async (call: Call) => {
    const { request, response } = call;
    requireOwnPage(call, publicUrl);
    const principal = await authenticator.session(request, { ends: true }).catch(unlessSignedOut);
    if (principal) await end(Object.assign(call, { principal }), principal.session.id, principal.userId);
    response.setHeader('set-cookie', cookie.setCookie(request, '', new Date(0)));
    response.writeHead(204).end();
  };
  const list = async (call: KeyedCall) => {
    const { query, response, principal } = call;
    const all = booleanParameter(query, 'all_users', false);
    if (all) await requireAdminKey(users, call);
    const found = await consoleSessions.list(all ? null : principal.userId, MAXIMUM_LISTED_SESSIONS);
    sendJson(response, 200, {
      sessions: found.map((session) => sessionView(session, principal.session?.id)),
    });
  };
  const endById = async (call: KeyedCall) => {
    const id = parseUuidStrictly(pathParameter(call.request, 'session_id'), ['path', 'session_id']);
    const isAdmin = call.principal.scopes.includes('admin');
    if (!(await end(call, id, isAdmin ? null : call.principal.userId)))
      throw new HttpError('not_found', 'Session not found');
    call.response.writeHead(204).end();
  };
  const own = '/api/v1/console/session';
  return [
    { method: 'GET', path: own, access: 'public', operation: operations.read, handle: read },
    {
      method: 'POST',
      path: own,
      access: 'public',
      body: 'json',
      operation: operations.signIn,
      handle: signIn,
    },
    { method: 'DELETE', path: own, access: 'public', operation: operations.signOut, handle: signOut },
    {
      method: 'GET',
      path: '/api/v1/console/sessions',
      access: forManagement,
      operation: operations.list,
      handle: list,
    },
    {
      method: 'DELETE',
      path: '/api/v1/console/sessions/:session_id',
      access: forManagement,
      operation: operations.end,
      handle: endById,
    },
  ];
}

/** Refuses pages of other origins, which could otherwise sign a browser in as another user, or out. */
function requireOwnPage({ request }: Call, publicUrl: string | undefined): void {
  if (!isFromOwnPage(request, publicUrl)) throw new HttpError('permission_denied', OTHER_ORIGIN);
}

async function requireAdminKey(users: Pick<UserStore, 'find'>, call: KeyedCall): Promise<void> {
  if (!call.principal.scopes.includes('admin')) throw new HttpError('permission_denied', 'Permission denied');
  await requireAdmin(users, call);
}

function unlessSignedOut(error: unknown): null {
  if (error instanceof HttpError && error.code === 'session_invalid') return null;
  throw error;
}

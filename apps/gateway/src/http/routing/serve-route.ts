import type { ServerResponse } from 'node:http';
import { factsOf, HttpError, readBody } from '@millrace/http';
import type { BodyBudget, OpenBody } from '@millrace/http';
import { actingUser } from '@millrace/runs';
import type { FlowReference, Principal } from '@millrace/runs';
import { openAiError } from '../answers/open-ai-error';
import { refuseEncodedBody, parseRunBody } from '../bodies/parse-body';
import type { RunBody } from '../bodies/parse-body';
import { parseJson } from '../bodies/parse-json';
import { readPreferences } from '../run-headers';
import { queryOf } from '../validation/query';
import type { ValidationItem } from '../validation/validation-item';
import { extra, MAXIMUM_ITEMS } from '../validation/validation-items';
import { invalidRequest } from '../validation/validator';
import type { EndUser } from '../../end-users/end-user-sessions';
import type { CallerAuthentication, EndUserAuthentication } from './access';
import { confinedRoute } from './end-user-use';
import type { ConfinedRoute } from './end-user-use';
import type { Call, KeyedCall, PublicRoute, Route, RoutedRequest } from './route';
import { unknownMembersOf } from './unknown-members';

/** The parameter that can contain the key on every route. */
const KEY = 'x-api-key';
/** A larger body is read only once the key has been accepted: reading and parsing it costs more than any refusal. */
const BYTES_BEFORE_KEY = 65_536;

export interface ServeOptions {
  readonly authenticator: CallerAuthentication;
  readonly callers: {
    /** Returns the flow that a request runs; null where it runs none. */
    flowOf(
      row: ConfinedRoute,
      call: Call,
      principal: Principal,
    ): FlowReference | null | Promise<FlowReference | null>;
    /** Returns the principal that the route serves the request for. Throws permission_denied. */
    confine(row: ConfinedRoute, call: Call, principal: Principal, endUser: EndUser): Promise<Principal>;
  };
  readonly endUsers: EndUserAuthentication;
  readonly bodies: BodyBudget;
  /** False where the executor is in this process, so that the body stays in memory during the run. */
  readonly releasesSentBodies: boolean;
  readonly maximumBodyBytes: number;
  /** Limit for any body; `maximumFlowMembers` applies to a body with flows once its key has been accepted. */
  readonly maximumBodyMembers: number;
  readonly maximumFlowMembers: number;
}

/** Answers a request at the path of a route; rejects with the error to answer instead. */
export type RouteHandler = (request: RoutedRequest, response: ServerResponse) => void | Promise<void>;

/** Creates the handler of a route: reads and parses the body, authenticates the caller, then calls the route. */
export function serveRoute(route: Route, options: ServeOptions): RouteHandler {
  const serve = serveInShape(route, options);
  if (route.errors !== 'openai') return serve;
  return async (request, response) => {
    try {
      await serve(request, response);
    } catch (error) {
      throw openAiError(error);
    }
  };
}

/** As `serveRoute`, with errors as they are. */
function serveInShape(route: Route, options: ServeOptions): RouteHandler {
  const { authenticator, callers, endUsers, bodies, releasesSentBodies } = options;
  const row = route.access === 'public' ? null : confinedRoute(route);
  const refuseUnknownMembers = memberRefusal(route);
  const serve = async (request: RoutedRequest, response: ServerResponse, share: OpenBody | null) => {
    factsOf(request).route = route.path;
    const call = new RequestCall(request, response, releasesSentBodies ? share : null);
    const early =
      share !== null && route.access !== 'public' && isLargeBody(request)
        ? await authenticator.authenticate(request, route.access)
        : null;
    // Callers without a key share a part of the memory.
    if (early !== null || route.access === 'public') share?.ownedBy(early?.userId ?? 'public');
    if (share !== null) await call.takeBody(route, options, share);
    if (row === null || route.access === 'public') {
      refuseUnknownMembers(call);
      return (route as PublicRoute).handle(call);
    }
    const found = early ?? authenticator.authenticate(request, route.access);
    const principal = found instanceof Promise ? await found : found;
    const facts = factsOf(request);
    facts.userId = actingUser(principal);
    facts.keyId = principal.keyId;
    const named = route.body === 'form' ? null : callers.flowOf(row, call, principal);
    const flow = named instanceof Promise ? await named : named;
    const by = row.use === null ? undefined : principal.bounds?.endUsers;
    const endUser = by === undefined ? null : await endUsers.of(request, principal, by);
    const counted = authenticator.count(principal, flow, {
      response,
      endUser,
      bodyBytes: route.countsNoBytes ? 0 : call.bodyBytes,
      waits: () => flow !== null && waits(call),
    });
    if (counted !== undefined) await counted;
    refuseUnknownMembers(call);
    call.takeLargeBody(options);
    const caller =
      principal.bounds === null ? principal : await callers.confine(row, call, principal, endUser);
    // Not awaited here, since this suspended function would keep the body in memory during the run.
    return route.handle(call.of(caller, caller.userId === principal.userId ? flow : null, endUser));
  };
  if (route.body === undefined) return (request, response) => serve(request, response, null);
  return (request, response) => {
    const share = bodies.open();
    return serve(request, response, share).finally(() => share.close());
  };
}

/** Whether a body is large, or of a length that is not declared. */
function isLargeBody({ headers }: RoutedRequest): boolean {
  return 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > BYTES_BEFORE_KEY;
}

/** Whether the caller of a run waits for it, and does not get a 202 at once. */
function waits({ request, body }: Call): boolean {
  const { respondAsync, waitSeconds } = readPreferences(request.headers['prefer']);
  const mode = typeof body === 'object' && body !== null ? (body as { mode?: unknown }).mode : undefined;
  return !(respondAsync && waitSeconds === 0) && mode !== 'background';
}

class RequestCall {
  readonly request: RoutedRequest;
  readonly response: ServerResponse;
  body: unknown = undefined;
  runBody: RunBody | null = null;
  flow: FlowReference | null = null;
  endUser: EndUser = null;
  bodyBytes = 0;
  declare principal: Principal;
  readonly #share: OpenBody | null;
  #large: Buffer | null = null;
  #query: URLSearchParams | null = null;

  constructor(request: RoutedRequest, response: ServerResponse, share: OpenBody | null) {
    this.request = request;
    this.response = response;
    this.#share = share;
  }

  /** Parsed on first use, since most runs have no query. */
  get query(): URLSearchParams {
    return (this.#query ??= queryOf(this.request));
  }

  releaseBody(): void {
    this.#share?.close();
  }

  /** Returns the call as the route gets it. */
  of(principal: Principal, flow: FlowReference | null, endUser: EndUser): KeyedCall {
    this.principal = principal;
    this.flow = flow;
    this.endUser = endUser;
    return this;
  }

  async takeBody(
    { body: kind, takesFlows, refuseSyntax }: Route,
    { maximumBodyBytes, maximumBodyMembers, maximumFlowMembers }: ServeOptions,
    share: OpenBody,
  ): Promise<void> {
    const { request } = this;
    const bytes = await readBody(request, {
      maximumBytes: maximumBodyBytes,
      share,
      overBudget: tooManyBodies,
    });
    this.bodyBytes = bytes.length;
    if (kind === 'run') {
      const parsed = parseRunBody(request, bytes, maximumBodyMembers);
      this.runBody = parsed instanceof Promise ? await parsed : parsed;
    } else if (kind === 'form') this.runBody = { bytes, maximumMembers: maximumFlowMembers };
    else if (kind === 'raw') this.runBody = { bytes, maximumMembers: maximumBodyMembers };
    else if (bytes.length > 0) {
      refuseEncodedBody(request);
      try {
        this.body = parseJson(bytes, maximumBodyMembers);
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        if (refuseSyntax && error.code === 'invalid_json') throw refuseSyntax(error);
        if (!takesFlows || error.code !== 'body_too_large') throw error;
        this.#large = bytes;
      }
    }
  }

  /** Parses a body with flows that exceeds the limit for requests whose key has not been accepted. */
  takeLargeBody({ maximumFlowMembers }: ServeOptions): void {
    if (this.#large === null) return;
    this.body = parseJson(this.#large, maximumFlowMembers);
    this.#large = null;
  }
}

function tooManyBodies(): HttpError {
  const text = 'Too many large requests at this gateway. Try again soon.';
  return new HttpError('too_many_bodies', text, { headers: { 'retry-after': '1' } });
}

/**
 * Returns the check of a route's requests, which throws invalid_request for unknown members of the query, and for a body
 * where the route takes none. The schema of a body refuses its unknown members.
 */
function memberRefusal(route: Route): (call: Call) => void {
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

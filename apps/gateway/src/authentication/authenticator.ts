import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  CallerAddresses,
  KeyUsage,
  PrincipalCache,
  RefusedSignIns,
  RequestLimits,
} from '@millrace/access';
import { HttpError } from '@millrace/http';
import { bindsFlows, hashApiKey, memberName } from '@millrace/runs';
import type { ConsolePrincipal, FlowReference, Principal } from '@millrace/runs';
import type { EndUser } from '../end-users/end-user-sessions';
import type { Access, CallerAuthentication, ErrorWording } from '../http/routing/access';
import { queryOf } from '../http/validation/query';
import { normalizeUuid } from '../http/validation/uuid-text';
import type { SessionCookie } from './session-cookie';
import { bearerOf, BearerTokens } from './sign-on/bearer-tokens';
import { whenClosed } from '../http/when-closed';

const MAXIMUM_KEY_LENGTH = 512;
const KEY_PREFIX = 'sk-';
/** Names the project of another user that a request is about. */
export const PROJECT_HEADER = 'x-millrace-project';
const NO_MEMBER = 'You are not a member of this project.';
const SIGNED_OUT = 'The session has ended. Sign in again.';
const NO_CREDENTIALS = 'Missing or invalid credentials (cookie or API key).';
const errorTexts = {
  run: {
    missing: 'An API key must be passed as query or header',
    invalid: 'Invalid or missing API key',
  },
  management: { missing: 'No authentication credentials provided', invalid: 'Invalid API key' },
  events: { missing: NO_CREDENTIALS, invalid: NO_CREDENTIALS },
  agents: { missing: 'API key required', invalid: 'Invalid API key' },
} as const;

/** Agents of other systems get 401, as their protocol and Langflow have it. */
function keyError(kind: 'missing' | 'invalid', wording: ErrorWording): HttpError {
  const code =
    wording === 'agents' ? 'agent_key_refused' : kind === 'missing' ? 'key_missing' : 'key_invalid';
  return new HttpError(code, errorTexts[wording][kind]);
}

export interface AuthenticatorOptions {
  readonly principals: PrincipalCache;
  /** Takes the cookie of the web console where a request has no key. */
  readonly sessions: SessionCookie;
  /** Takes tokens of issuers; null where none is configured. */
  readonly tokens: Pick<BearerTokens, 'find' | 'namesEndUser'> | null;
  readonly usage: KeyUsage;
  /** Whether a key is accepted in the query, where proxies and logs can see it. */
  readonly queryKeys: boolean;
  readonly limits: RequestLimits;
  /** Checks the addresses that keys allow. */
  readonly addresses: CallerAddresses;
  /** Counts refused credentials for the audit log; a request without any is not counted. */
  readonly refused: Pick<RefusedSignIns, 'count'>;
}

/**
 * Identifies the caller by the API key in the query, in the header `x-api-key` or, where the route allows it, in a
 * bearer token; without a key, by the token of an issuer, or by the session of the web console. The first of these that contains a key counts, as in Langflow. Clients of OpenAI's interface that send
 * their key in `x-api-key` can therefore send any bearer token as well.
 */
export class Authenticator implements CallerAuthentication {
  readonly #options: AuthenticatorOptions;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /**
   * Returns without a promise when the key or session is cached. Throws key_missing, key_invalid, session_invalid,
   * token_invalid and permission_denied.
   */
  authenticate(request: IncomingMessage, access: Access): Principal | Promise<Principal> {
    const { wording, takesBearer = false, refusesBearer = wording === 'management' } = access;
    if (refusesBearer && bearerToken(request) && !this.#isEndUserOfKey(request))
      return this.#byToken(request, access) ?? this.#refuseToken(request);
    const key = this.#keyOf(request) ?? (takesBearer ? bearerKey(request) : null);
    if (key === null) return this.#byToken(request, access) ?? this.#bySession(request, access);
    if (key.length > MAXIMUM_KEY_LENGTH) throw this.#refused(request, keyError('invalid', wording));
    const principal = this.#options.principals.find(hashApiKey(key));
    if (principal instanceof Promise)
      return principal.then((found) => this.#authorize(request, found, access));
    return this.#authorize(request, principal, access);
  }

  /**
   * Counts a request of a caller, which runs a flow or, with null, none; undefined where no limit applies. Rejects with rate_limited.
   */
  count(
    principal: Principal,
    flow: FlowReference | null,
    {
      response,
      waits,
      bodyBytes = 0,
      endUser: name = null,
    }: {
      readonly response?: ServerResponse;
      readonly waits?: () => boolean;
      readonly bodyBytes?: number;
      readonly endUser?: EndUser;
    } = {},
  ): Promise<void> | undefined {
    const { limits, usage } = this.#options;
    if (limits.canApply({ principal, flow })) {
      const onWaiting =
        response && waits?.() ? (release: () => void) => whenClosed(response, release) : undefined;
      const endUser = name === null ? null : { name, limits: principal.limits?.key };
      const bytes = { body: bodyBytes };
      const counted = limits.count({
        principal,
        flow,
        endUser,
        onWaiting,
        bytes,
        ...(response && { response }),
      });
      if (counted !== undefined) return counted.then(() => usage.count(principal.keyHash));
    }
    usage.count(principal.keyHash);
    return undefined;
  }

  /** Accepts the key that a caller signs in with, which needs no particular scope. Throws as `authenticate`. */
  async signIn(request: IncomingMessage, key: string): Promise<Principal> {
    const { invalid } = errorTexts.management;
    const found =
      key.length > MAXIMUM_KEY_LENGTH ? null : await this.#options.principals.find(hashApiKey(key));
    if (!found) throw this.#refused(request, new HttpError('key_invalid', invalid));
    this.#checkAddress(request, found);
    await this.count(found, null);
    return found;
  }

  /** Returns the principal of a request's session, which is not checked at its issuer in order to end it. Throws session_invalid. */
  async session(request: IncomingMessage, { ends = false } = {}): Promise<ConsolePrincipal> {
    const { sessions } = this.#options;
    const token = sessions.tokenOf(request);
    const found = token === null ? null : await (ends ? sessions.findUnchecked(token) : sessions.find(token));
    if (!found) throw new HttpError('session_invalid', SIGNED_OUT);
    this.#checkAddress(request, found);
    await this.count(found, null);
    return found;
  }

  /** Undefined where no issuer is configured, or the request has no token of one. */
  #byToken(request: IncomingMessage, access: Access): Principal | Promise<Principal> | undefined {
    const { tokens } = this.#options;
    const token = tokens === null ? null : BearerTokens.of(bearerOf(request));
    if (tokens === null || token === null) return undefined;
    const counted = (error: unknown) =>
      error instanceof HttpError && error.status < 500 ? this.#refused(request, error) : error;
    let found;
    try {
      found = tokens.find(token);
    } catch (error) {
      throw counted(error);
    }
    if (!(found instanceof Promise)) return this.#authorize(request, found, access);
    return found.then(
      (principal) => this.#authorize(request, principal, access),
      (error: unknown) => {
        throw counted(error);
      },
    );
  }

  /** Whether the token of a request only names the end user of its key. */
  #isEndUserOfKey(request: IncomingMessage): boolean {
    const token = BearerTokens.of(bearerOf(request));
    if (token === null || this.#options.tokens?.namesEndUser(token) !== true) return false;
    return this.#keyOf(request) !== null;
  }

  #refuseToken(request: IncomingMessage): never {
    const headers = { 'www-authenticate': 'Bearer' };
    throw this.#refused(request, new HttpError('token_invalid', 'Invalid token', { headers }));
  }

  #bySession(request: IncomingMessage, access: Access): Principal | Promise<Principal> {
    const { sessions } = this.#options;
    const token = sessions.tokenOf(request);
    if (token === null) throw keyError('missing', access.wording);
    const authorize = (found: Principal | null) => {
      if (!found) throw this.#refused(request, new HttpError('session_invalid', SIGNED_OUT));
      return this.#authorize(request, found, access);
    };
    const found = sessions.find(token);
    return found instanceof Promise ? found.then(authorize) : authorize(found);
  }

  #keyOf(request: IncomingMessage): string | null {
    if (this.#options.queryKeys && request.url?.includes('x-api-key')) {
      const key = queryOf(request).get('x-api-key');
      if (key) return key;
    }
    const header = request.headers['x-api-key'];
    return typeof header === 'string' && header !== '' ? header : null;
  }

  #authorize(
    request: IncomingMessage,
    principal: Principal | null,
    access: Pick<Access, 'wording' | 'scope' | 'denied'>,
  ): Principal | Promise<Principal> {
    if (!principal) throw this.#refused(request, keyError('invalid', access.wording));
    this.#checkAddress(request, principal);
    this.#checkScope(request, principal, access);
    return request.headers[PROJECT_HEADER] === undefined && principal.bounds?.member !== true
      ? principal
      : this.#asMember(request, principal, access);
  }

  #checkScope(
    request: IncomingMessage,
    principal: Principal,
    { scope, denied = 'Permission denied' }: Pick<Access, 'scope' | 'denied'>,
  ): void {
    if (principal.scopes.includes(scope)) return;
    throw this.#refused(request, new HttpError('permission_denied', denied), principal);
  }

  /** Returns the owner of the project that a request or its key names, for a caller who is a member of it. Throws or rejects with permission_denied. */
  #asMember(
    request: IncomingMessage,
    caller: Principal,
    access: Pick<Access, 'scope' | 'denied'>,
  ): Principal | Promise<Principal> {
    const admit = (found: Principal | null) => {
      if (!found) throw this.#refused(request, new HttpError('permission_denied', NO_MEMBER), caller);
      const principal = actingAs(found, caller);
      this.#checkScope(request, principal, access);
      return principal;
    };
    const { bounds } = caller;
    const ofKey = bounds?.member === true ? (bounds.projects?.[0] ?? null) : null;
    const projectId = normalizeUuid(String(request.headers[PROJECT_HEADER] ?? ofKey));
    if (projectId === null || (bindsFlows(bounds) && projectId !== ofKey)) return admit(null);
    const found = this.#options.principals.find(memberName(caller.userId, projectId));
    return found instanceof Promise ? found.then(admit) : admit(found);
  }

  #checkAddress(request: IncomingMessage, principal: Principal): void {
    const { bounds } = principal;
    if (bounds === null || this.#options.addresses.areAllowed(bounds, request)) return;
    const error = new HttpError('permission_denied', 'This API key cannot be used from this address.');
    throw this.#refused(request, error, principal);
  }

  #refused(request: IncomingMessage, error: HttpError, principal?: Principal): HttpError {
    this.#options.refused.count({ code: error.code, request, principal });
    return error;
  }
}

/** Returns the owner of a project, with the key of a member who acts for it, and the limits of both. */
function actingAs({ userId, scopes, bounds, limits, member }: Principal, caller: Principal): Principal {
  const key = caller.limits?.key;
  return {
    ...caller,
    userId,
    scopes: scopes.filter((scope) => caller.scopes.includes(scope)),
    bounds: { ...caller.bounds, ...bounds },
    limits: key === undefined ? (limits ?? null) : { ...limits, key },
    ...(member && { member }),
  };
}

/** Returns the bearer token if it looks like an API key. */
function bearerKey(request: IncomingMessage): string | null {
  const token = /^bearer +(.+)$/i.exec(bearerOf(request))?.[1];
  return token?.startsWith(KEY_PREFIX) ? token : null;
}

function bearerToken(request: IncomingMessage): boolean {
  return /^bearer\s/i.test(request.headers.authorization ?? '');
}

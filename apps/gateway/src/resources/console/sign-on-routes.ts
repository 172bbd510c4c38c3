import { closedObject, listOf, orNull, text, namedObject } from '@millrace/messages';
import { HttpError } from '@millrace/http';
import { identityHash } from '@millrace/runs';
import type { ApiKeyStore, IdentityStore } from '@millrace/runs';
import type { PrincipalCache, RefusedSignIns } from '@millrace/access';
import type { Logger } from '@millrace/service';
import { actorOf } from '../../authentication/actor-of';
import { grantOf } from '../../authentication/sign-on/identities';
import type { Issuer } from '../../authentication/sign-on/issuer';
import type { SignOn } from '../../authentication/sign-on/sign-on';
import {
  newSignOnToken,
  signOnCookie,
  signOnSecrets,
  signOnTokenOf,
} from '../../authentication/sign-on/sign-on-cookie';
import { readLogoutToken } from '../../authentication/sign-on/logout-token';
import { TokenError } from '../../authentication/sign-on/token-error';
import { sendJson } from '../../http/answers/send-json';
import { ownOriginOf } from '../../http/own-origin';
import { json, nothing } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import { pathParameter, publicPage } from '../../http/routing/route';
import type { Call, Route } from '../../http/routing/route';
import { sessionEnded } from './console-session-view';
import { announceEnds, startSession } from './start-session';
import type { Granted, StartSessionOptions } from './start-session';

export interface SignOnRoutesOptions extends StartSessionOptions {
  readonly signOn: SignOn | null;
  readonly identities: IdentityStore;
  readonly apiKeys: Pick<ApiKeyStore, 'list'>;
  readonly principals: PrincipalCache;
  readonly sessions: PrincipalCache;
  readonly refused: Pick<RefusedSignIns, 'count'>;
  readonly publicUrl: string | undefined;
  readonly logger: Logger;
}

const MAXIMUM_LOGOUT_BYTES = 16_384;
/** A refresh or access token, which a row keeps. */
const MAXIMUM_TOKEN_LENGTH = 32_768;
const PATH = '/api/v1/sign-on';
const operations = {
  list: {
    summary: 'List the issuers of single sign-on, for the sign-in page and the command line',
    answers: {
      200: json(
        'The issuers; none where none is configured',
        namedObject('SignOnIssuers', {
          issuers: listOf(
            closedObject({
              name: text,
              issuer: text,
              console_path: orNull(text),
              cli_client_id: orNull(text),
              scope: text,
            }),
          ),
        }),
      ),
    },
  },
  start: {
    summary: 'Sign in to the web console at an issuer: redirects the browser to it',
    answers: { 302: nothing('To the issuer') },
    errors: ['not_found', 'issuer_unavailable'],
  },
  finish: {
    summary: 'Where the issuer sends the browser back; starts a session of the web console',
    answers: { 302: nothing('To the web console, with a reason in `sign-on` for a sign-in that failed') },
    errors: ['not_found'],
  },
  logout: {
    summary: 'End the sessions that a logout token names (OpenID Connect Back-Channel Logout)',
    body: {
      'application/x-www-form-urlencoded': {
        type: 'object',
        required: ['logout_token'],
        properties: { logout_token: { type: 'string' } },
      },
    },
    answers: { 200: nothing('The sessions have ended, on every gateway') },
    errors: ['not_found', 'logout_refused', 'issuer_unavailable'],
  },
} as const satisfies Record<string, Operation>;

/** Why a sign-in failed, for the sign-in page. */
type Reason = 'refused' | 'expired' | 'no_role' | 'disabled' | 'unavailable';

/** Routes by which people sign in at an issuer, and by which an issuer ends their sessions. */
export function signOnRoutes(options: SignOnRoutesOptions): readonly Route[] {
  const { signOn, publicUrl } = options;
  const issuers = [...(signOn?.issuers.values() ?? [])];
  const list = ({ response }: Call) =>
    sendJson(response, 200, {
      issuers: issuers.map(({ settings: { name, issuer, clientId, cliClientId, scope } }) => ({
        name,
        issuer,
        console_path: clientId === undefined ? null : `${PATH}/${name}`,
        cli_client_id: cliClientId ?? null,
        scope,
      })),
    });
  const find = ({ request }: Call): ConsoleIssuer => {
    const issuer = signOn?.issuers.get(pathParameter(request, 'issuer'));
    const clientId = issuer?.settings.clientId;
    if (issuer === undefined || clientId === undefined)
      throw new HttpError('not_found', 'No such issuer of single sign-on');
    return { issuer, clientId };
  };
  const start = async (call: Call) => {
    const { request, response } = call;
    const { issuer, clientId } = find(call);
    const configuration = await issuer.client(clientId, issuer.settings.clientSecret);
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client');
    const token = newSignOnToken();
    const { state, nonce, verifier } = signOnSecrets(token);
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: callbackOf(call, issuer, publicUrl),
      scope: issuer.settings.scope,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    response.setHeader('set-cookie', signOnCookie(request, token, publicUrl));
    redirect(call, url.href);
  };
  const finish = async (call: Call) => {
    const { request, response } = call;
    const found = find(call);
    const removed = signOnCookie(request, '', publicUrl);
    try {
      const cookie = await signInAt(options, found, call);
      response.setHeader('set-cookie', [removed, cookie]);
      redirect(call, '/');
    } catch (error) {
      const reason = reasonOf(error);
      options.logger.warn(
        { error, issuer: found.issuer.settings.name, reason },
        'a sign-in at an issuer failed',
      );
      options.refused.count({ code: 'token_invalid', request });
      response.setHeader('set-cookie', removed);
      redirect(call, `/?sign-on=${reason}`);
    }
  };
  const logout = async (call: Call) => {
    const { response } = call;
    await endSessions(options, find(call), call);
    response.setHeader('cache-control', 'no-store');
    response.writeHead(200, { 'content-length': 0 }).end();
  };
  return [
    publicPage(PATH, operations.list, list),
    publicPage(`${PATH}/:issuer`, operations.start, start),
    publicPage(`${PATH}/:issuer/callback`, operations.finish, finish),
    {
      method: 'POST',
      path: `${PATH}/:issuer/logout`,
      access: 'public',
      body: 'raw',
      operation: operations.logout,
      handle: logout,
    },
  ];
}

/** An issuer at which people sign in to the web console. */
interface ConsoleIssuer {
  readonly issuer: Issuer;
  readonly clientId: string;
}

class SignInFailure extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reason);
    this.name = 'SignInFailure';
    this.reason = reason;
  }
}

/** Exchanges the code of a callback for a session. Resolves to the cookie of the session. */
async function signInAt(
  options: SignOnRoutesOptions,
  { issuer, clientId }: ConsoleIssuer,
  call: Call,
): Promise<string> {
  const { signOn, publicUrl } = options;
  const { settings } = issuer;
  const token = signOnTokenOf(call.request);
  if (token === null) throw new SignInFailure('expired');
  const { state, nonce, verifier } = signOnSecrets(token);
  if (call.query.get('state') !== state) throw new SignInFailure('expired');
  const configuration = await issuer.client(clientId, settings.clientSecret);
  const { authorizationCodeGrant } = await import('openid-client');
  const answered = new URL(callbackOf(call, issuer, publicUrl));
  answered.search = call.query.toString();
  const tokens = await authorizationCodeGrant(configuration, answered, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  });
  // Its signature counts here too, not only the connection that it came over.
  const claims = await issuer.verify(tokens.id_token ?? '', [clientId]);
  const grant = grantOf(settings, claims);
  const principal = (await signOn?.identities.admit(settings, grant)) ?? null;
  if (grant.scopes.length === 0) throw new SignInFailure('no_role');
  if (principal === null) throw new SignInFailure('disabled');
  await applyRole(options, issuer, { call, principal, isAdmin: grant.scopes.includes('admin') });
  const issuerSession = typeof claims['sid'] === 'string' ? claims['sid'] : undefined;
  const started = await startSession(options, call, principal, {
    scopes: grant.scopes,
    issuerSession,
    ...checkableBy(tokens, {
      hasUserInfo: configuration.serverMetadata().userinfo_endpoint !== undefined,
      seconds: (claims.exp ?? 0) - issuer.now() / 1_000,
    }),
  });
  return started.cookie;
}

/** How the issuer can be asked about the account later, and for how long. */
function checkableBy(
  tokens: {
    readonly refresh_token?: string;
    readonly access_token?: string;
    readonly expires_in?: number;
  },
  { hasUserInfo, seconds }: { readonly hasUserInfo: boolean; readonly seconds: number },
): Pick<Granted, 'issuerToken' | 'seconds'> {
  const { refresh_token: refresh, access_token: access, expires_in: accessSeconds = seconds } = tokens;
  const token = refresh ?? access ?? '';
  if (token.length > MAXIMUM_TOKEN_LENGTH) throw new SignInFailure('refused');
  if (refresh !== undefined) return { issuerToken: { kind: 'refresh', token }, seconds: null };
  if (access !== undefined && hasUserInfo)
    return { issuerToken: { kind: 'access', token }, seconds: accessSeconds };
  return { issuerToken: undefined, seconds };
}

/** Makes a user of this issuer an admin, or no admin, as the token has it now. */
async function applyRole(
  { identities, audit, apiKeys, principals, sessions, control }: SignOnRoutesOptions,
  { settings: { issuer } }: Issuer,
  {
    call,
    principal,
    isAdmin,
  }: {
    readonly call: Call;
    readonly principal: Parameters<typeof startSession>[2];
    readonly isAdmin: boolean;
  },
): Promise<void> {
  const { userId } = principal;
  const isChanged = await audit.change(actorOf({ ...call, principal }), async (change) => {
    const changed = await identities.within(change).setAdmin(userId, issuer, isAdmin);
    const detail = { changed: ['is_superuser'], issuer };
    if (changed) change.note({ action: 'user.updated', objectId: userId, detail });
    return changed;
  });
  if (!isChanged) return;
  for (const { keyHash } of await apiKeys.list(userId)) {
    principals.invalidate(keyHash);
    sessions.invalidateKey(keyHash);
    await control.send({ kind: 'key-revoked', keyHash, ...(isAdmin ? { keepsStreams: true } : {}) });
  }
}

async function endSessions(
  options: SignOnRoutesOptions,
  { issuer, clientId }: ConsoleIssuer,
  call: Call,
): Promise<void> {
  const { audit, consoleSessions } = options;
  const bytes = call.runBody !== null && 'bytes' in call.runBody ? call.runBody.bytes : Buffer.alloc(0);
  const body = bytes.length > MAXIMUM_LOGOUT_BYTES ? '' : bytes.toString();
  const token = new URLSearchParams(body).get('logout_token') ?? '';
  const loggedOut = await readLogoutToken(issuer, clientId, token).catch((error: unknown) => {
    if (!(error instanceof TokenError)) throw error;
    options.refused.count({ code: 'logout_refused', request: call.request });
    throw new HttpError('logout_refused', `The logout token is not accepted: ${error.message}`, {
      cause: error,
    });
  });
  const { subject, session } = loggedOut;
  const { issuer: address } = issuer.settings;
  const keyHash = subject === undefined ? undefined : identityHash({ issuer: address, subject });
  const ended = await audit.change(
    {
      kind: 'unknown',
      userId: null,
      keyId: null,
      requestId: null,
      clientAddress: call.request.socket.remoteAddress ?? null,
      forwardedFor: null,
    },
    async (change) => {
      const found = await consoleSessions
        .within(change)
        .endAtIssuer({ issuer: address, keyHash, issuerSession: session });
      for (const one of found) change.note(sessionEnded(one));
      return found;
    },
  );
  await announceEnds(options, ended);
}

function callbackOf({ request }: Call, { settings }: Issuer, publicUrl: string | undefined): string {
  return `${ownOriginOf(request, publicUrl)}${PATH}/${settings.name}/callback`;
}

function redirect({ response }: Call, location: string): void {
  response.writeHead(302, { location, 'cache-control': 'no-store', 'content-length': 0 }).end();
}

function reasonOf(error: unknown): Reason {
  if (error instanceof SignInFailure) return error.reason;
  return error instanceof HttpError && error.status >= 500 ? 'unavailable' : 'refused';
}

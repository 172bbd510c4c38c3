import { identityHash } from '@millrace/runs';
import type { BegunCheck, IssuerToken } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import type { Configuration } from 'openid-client';
import { claimAt, grantOf } from './identities';
import type { Grant } from './identities';
import type { Issuer } from './issuer';

/** Errors of a token endpoint by which an issuer ends what it has granted; others are of the client or the issuer. */
const ENDING = new Set([
  'invalid_grant',
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'login_required',
]);
/** Those of the client, which all sessions have in common. */
const OF_CLIENT = new Set(['invalid_client', 'unauthorized_client', 'unsupported_grant_type']);
const REFUSING = new Set([400, 401, 403]);

/** What an issuer says of the account of a session. */
export interface IssuerAnswer {
  /** False when the account is disabled or the grant has ended, and when the account has lost a role. */
  readonly stays: boolean;
  /** Replaces the token that asked. */
  readonly next?: IssuerToken | undefined;
  /** What the groups of the account give now, where the issuer says so. */
  readonly grant?: Grant;
}

/** An issuer, and its client that has opened the session. */
export interface AskedIssuer {
  readonly issuer: Issuer;
  readonly clientId: string;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Asks an issuer whether the account of a session is still what it was: by the refresh token, or else with the access token at the
 * userinfo endpoint. Rejects when the issuer does not answer the question.
 */
export async function askIssuer(asked: AskedIssuer, begun: BegunCheck): Promise<IssuerAnswer> {
  const { issuer, clientId } = asked;
  const configuration = await issuer.client(clientId, issuer.settings.clientSecret);
  return begun.issuerToken.kind === 'refresh'
    ? byRefreshToken(asked, configuration, begun)
    : byUserInfo(issuer, configuration, begun);
}

async function byRefreshToken(
  asked: AskedIssuer,
  configuration: Configuration,
  begun: BegunCheck,
): Promise<IssuerAnswer> {
  const { refreshTokenGrant } = await import('openid-client');
  let tokens;
  try {
    tokens = await refreshTokenGrant(configuration, begun.issuerToken.token);
  } catch (error) {
    const { error: code } = error as { readonly error?: unknown };
    if (ENDING.has(code as string)) return { stays: false };
    throw error;
  }
  const { refresh_token: token, id_token: idToken } = tokens;
  return {
    ...(idToken === undefined ? { stays: true } : await readRenewed(asked, begun, idToken)),
    next: token === undefined ? undefined : { kind: 'refresh', token },
  };
}

async function byUserInfo(
  issuer: Issuer,
  configuration: Configuration,
  { issuerToken, keyHash }: BegunCheck,
): Promise<IssuerAnswer> {
  const openid = await import('openid-client');
  try {
    // The subject is compared below, by its hash.
    const { sub: subject } = await openid.fetchUserInfo(
      configuration,
      issuerToken.token,
      openid.skipSubjectCheck,
    );
    return { stays: identityHash({ issuer: issuer.settings.issuer, subject }) === keyHash };
  } catch (error) {
    const { status, cause } = error as { readonly status?: number; readonly cause?: unknown };
    if (status !== undefined && REFUSING.has(status)) return { stays: false };
    // Without the challenge that a 401 has to have.
    if (cause instanceof Response && cause.status === 401) return { stays: false };
    throw error;
  }
}

/** Whether an issuer answered that it does not accept a request for this session, and may accept others. */
export function concernsOneSession(error: unknown): boolean {
  const { status, error: code } = error as { readonly status?: unknown; readonly error?: unknown };
  return status === 400 && typeof code === 'string' && !OF_CLIENT.has(code);
}

/** Whether a renewed ID token is of the same account and gives all that the session may do, and what it gives. */
async function readRenewed(
  { issuer, clientId, logger }: AskedIssuer,
  { keyHash, scopes }: BegunCheck,
  idToken: string,
): Promise<IssuerAnswer> {
  const { settings } = issuer;
  try {
    const claims = await issuer.verify(idToken, [clientId]);
    const grant = grantOf(settings, claims);
    if (grant.keyHash !== keyHash) return { stays: false };
    // A renewed ID token need not have all claims.
    if (claimAt(claims, settings.groupsClaim) === undefined) return { stays: true };
    return { stays: scopes.every((scope) => grant.scopes.includes(scope)), grant };
  } catch (error) {
    // The issuer has renewed the tokens: that the account is enabled does not depend on this one.
    logger.warn(
      { error, issuer: settings.name },
      'a renewed ID token is not accepted; roles are not checked',
    );
    return { stays: true };
  }
}

import type { Issuer } from './issuer';
import { TokenError } from './token-error';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** A logout token is sent at once. */
const MAXIMUM_AGE_SECONDS = 300;
const MAXIMUM_LENGTH = 8_192;
const MAXIMUM_SESSION_LENGTH = 255;

/** Whose sessions end: at least one of the two is given. */
export interface LoggedOut {
  readonly subject: string | undefined;
  /** The session at the issuer. */
  readonly session: string | undefined;
}

/**
 * Reads a logout token of OpenID Connect Back-Channel Logout 1.0. Repeated, it ends nothing more. Rejects with TokenError, and with
 * issuer_unavailable.
 */
export async function readLogoutToken(issuer: Issuer, clientId: string, token: string): Promise<LoggedOut> {
  if (token === '' || token.length > MAXIMUM_LENGTH) throw new TokenError('it is missing or too long');
  const claims = await issuer.verify(token, [clientId], 'logout');
  const { sub: subject, sid, events, nonce, iat = 0 } = claims;
  if (typeof events !== 'object' || events === null || !Object.hasOwn(events, EVENT))
    throw new TokenError('it ends no session');
  if (nonce !== undefined) throw new TokenError('it is an ID token');
  if (issuer.now() / 1_000 - iat > MAXIMUM_AGE_SECONDS) throw new TokenError('it is too old');
  const session =
    typeof sid === 'string' && sid.length <= MAXIMUM_SESSION_LENGTH && !sid.includes('\u0000')
      ? sid
      : undefined;
  if (sid !== undefined && session === undefined) throw new TokenError('its claim "sid" is not accepted');
  if (subject === undefined && session === undefined)
    throw new TokenError('it names neither a subject nor a session');
  return { subject, session };
}

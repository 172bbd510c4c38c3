import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { HttpError } from '@millrace/http';
import type { Principal } from '@millrace/runs';
import type { SharedClock } from '@millrace/service';
import { LRUCache } from 'lru-cache';
import { claimAt, grantOf } from './identities';
import type { Grant, Identities } from './identities';
import { CLOCK_SKEW_SECONDS } from './issuer';
import type { Claims, Issuer } from './issuer';
import type { IssuerSettings } from './issuer-settings';
import { TokenError } from './token-error';

const MAXIMUM_LENGTH = 8_192;
const MAXIMUM_ENTRIES = 20_000;
const REFUSED_MILLISECONDS = 5_000;
const FORM = /^bearer +(ey[\w-]*\.[\w-]*\.[\w-]*) *$/i;

/** A verified token, until it expires. */
interface Verified {
  readonly issuer: Issuer;
  readonly grant: Grant;
  /** The end user; null for none. */
  readonly endUser: string | null;
  readonly expiresAt: Date;
  /** The owner, and the principal that was made of it. */
  owner: Principal | null;
  principal: Principal | null;
  /** Its user was disabled or unknown; the database is asked again after this time, on the monotonic clock. */
  refusedUntil: number;
}

export interface BearerTokensOptions {
  /** By their addresses. */
  readonly issuers: ReadonlyMap<string, Issuer>;
  readonly identities: Identities;
  readonly clock: SharedClock;
}

/** Takes the JWTs of issuers as credentials. A token is verified once, and its user looked up as the user of a key. */
export class BearerTokens {
  readonly #options: BearerTokensOptions;
  /** By the SHA-256 of the token. Limited by size, because `max` allocates memory for all entries at once. */
  readonly #verified = new LRUCache<string, Verified>({ maxSize: MAXIMUM_ENTRIES, sizeCalculation: () => 1 });
  readonly #verifying = new Map<string, Promise<Verified>>();

  constructor(options: BearerTokensOptions) {
    this.#options = options;
  }

  /** Returns the token in the header `Authorization`; null where it has none that looks like a JWT. */
  static of(header: string | undefined): string | null {
    return FORM.exec(header ?? '')?.[1] ?? null;
  }

  /**
   * Returns the principal of a token, with the scopes that its issuer gives it. No promise when it is known. Throws or rejects with
   * token_invalid, permission_denied and issuer_unavailable.
   */
  find(token: string): Principal | Promise<Principal> {
    if (token.length > MAXIMUM_LENGTH) throw refused('it is longer than 8 KiB');
    const digest = digestOf(token);
    const known = this.#verified.get(digest);
    if (known === undefined) return this.#verify(digest, token).then((verified) => this.#admit(verified));
    const { clock, identities } = this.#options;
    if (known.expiresAt.getTime() <= clock.now()) throw refused('it has expired');
    const owner = identities.known(known.grant);
    return owner === null ? this.#admit(known) : principalOf(known, owner);
  }

  /** Whether a token, which nothing has verified yet, is of an issuer that names end users. */
  namesEndUser(token: string): boolean {
    if (token.length > MAXIMUM_LENGTH) return false;
    try {
      const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
      const { iss } = (JSON.parse(payload) ?? {}) as { readonly iss?: unknown };
      return this.#options.issuers.get(String(iss))?.settings.endUserClaim !== undefined;
    } catch {
      return false;
    }
  }

  /**
   * Returns the end user that the token in a header names; null where its issuer or the token names none. No
   * promise when the token is known. Throws or rejects with token_invalid and issuer_unavailable.
   */
  endUserOf(header: string): string | null | Promise<string | null> {
    const token = BearerTokens.of(header);
    if (token === null || !this.namesEndUser(token)) return null;
    const digest = digestOf(token);
    const known = this.#verified.get(digest);
    if (known === undefined) return this.#verify(digest, token).then(({ endUser }) => endUser);
    if (known.expiresAt.getTime() <= this.#options.clock.now()) throw refused('it has expired');
    return known.endUser;
  }

  /** Concurrent requests with one token verify it once. */
  #verify(digest: string, token: string): Promise<Verified> {
    let verifying = this.#verifying.get(digest);
    if (verifying === undefined) {
      verifying = this.#read(digest, token).finally(() => this.#verifying.delete(digest));
      this.#verifying.set(digest, verifying);
    }
    return verifying;
  }

  async #read(digest: string, token: string): Promise<Verified> {
    const issuer = this.#options.issuers.get(await issuerOf(token));
    if (issuer === undefined) throw refused('its issuer is not configured');
    const { settings } = issuer;
    const { audience, cliClientId } = settings;
    const accepted = cliClientId === undefined ? audience : [...audience, cliClientId];
    try {
      if (accepted.length === 0) throw new TokenError('its issuer has no audience here');
      const claims = await issuer.verify(token, accepted);
      const expiresAt = new Date(((claims.exp ?? 0) + CLOCK_SKEW_SECONDS) * 1_000);
      const verified = {
        issuer,
        grant: grantOf(settings, claims),
        endUser: endUserIn(settings, claims),
        expiresAt,
        owner: null,
        principal: null,
        refusedUntil: 0,
      };
      this.#verified.set(digest, verified);
      return verified;
    } catch (error) {
      throw error instanceof TokenError ? refused(error.message, error) : error;
    }
  }

  async #admit(verified: Verified): Promise<Principal> {
    const { issuer, grant } = verified;
    const owner =
      performance.now() < verified.refusedUntil
        ? null
        : await this.#options.identities.admit(issuer.settings, grant);
    if (grant.scopes.length === 0)
      throw new HttpError('permission_denied', 'The groups of the token have no role here.');
    if (owner !== null) return principalOf(verified, owner);
    verified.refusedUntil = performance.now() + REFUSED_MILLISECONDS;
    throw refused('its user is disabled or unknown');
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** Returns the end user of a token. A claim that is no text or whole number becomes a blank, which is no valid name. */
function endUserIn({ endUserClaim }: IssuerSettings, claims: Claims): string | null {
  const value = endUserClaim === undefined ? undefined : claimAt(claims, endUserClaim);
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : Number.isSafeInteger(value) ? String(value) : ' ';
}

function principalOf(verified: Verified, owner: Principal): Principal {
  if (verified.owner === owner && verified.principal !== null) return verified.principal;
  const { grant, expiresAt } = verified;
  const scopes = owner.scopes.filter((scope) => grant.scopes.includes(scope));
  verified.owner = owner;
  verified.principal = { ...owner, scopes, expiresAt };
  return verified.principal;
}

/** Returns the issuer that a token names, which nothing has verified yet. */
async function issuerOf(token: string): Promise<string> {
  const { decodeJwt } = await import('jose');
  try {
    return String(decodeJwt(token).iss);
  } catch (error) {
    throw refused('it is malformed', error);
  }
}

function refused(reason: string, cause?: unknown): HttpError {
  const headers = {
    'www-authenticate': `Bearer error="invalid_token", error_description="${reason.replaceAll('"', "'")}"`,
  };
  return new HttpError('token_invalid', `Invalid token: ${reason}`, { headers, cause });
}

/** Returns the header with the token of a request. Repeated headers are joined, so that none of them is accepted. */
export function bearerOf(request: IncomingMessage): string {
  return request.headersDistinct['authorization']?.join(', ') ?? '';
}

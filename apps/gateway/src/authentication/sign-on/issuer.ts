import { HttpError } from '@millrace/http';
import { boundedFetch, isSafeUrl } from '@millrace/service';
import type { OutgoingFetch, SharedClock } from '@millrace/service';
import { unstorableCharacter } from '@millrace/http';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { Configuration, ServerMetadata } from 'openid-client';
import { issuerUnavailable } from './issuer-fetch';
import type { IssuerSettings } from './issuer-settings';
import { reasonOf, TokenError } from './token-error';

const METADATA_MILLISECONDS = 3_600_000;
const KEYS_MILLISECONDS = 600_000;
/** Between two fetches of keys, whatever keys tokens name. */
const KEYS_PAUSE_MILLISECONDS = 10_000;
/** After a failed request to the issuer, none is made for this time. */
const FAILURE_PAUSE_MILLISECONDS = 2_000;
export const CLOCK_SKEW_SECONDS = 30;
const MAXIMUM_SUBJECT_LENGTH = 255;
/** None with a shared secret: a public key is no secret. */
const ASYMMETRIC = new Set('RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' '));
const TYPES = {
  token: new Set(['jwt', 'at+jwt', 'application/at+jwt']),
  logout: new Set(['jwt', 'logout+jwt', 'application/logout+jwt']),
};

/** The claims of a verified token. */
export type Claims = JWTPayload & { readonly iss: string };

interface Discovered {
  readonly metadata: ServerMetadata;
  readonly algorithms: readonly string[];
  readonly keys: JWTVerifyGetKey;
  readonly loadedAt: number;
}

export interface IssuerOptions {
  readonly settings: IssuerSettings;
  readonly fetch: OutgoingFetch;
  readonly clock: SharedClock;
}

/** Verifies the tokens of one issuer by the keys that it publishes. Asks it when a token arrives, not before. */
export class Issuer {
  readonly settings: IssuerSettings;
  readonly #fetch: ReturnType<typeof boundedFetch>;
  readonly #clock: SharedClock;
  #discovered: Discovered | null = null;
  #loading: Promise<Discovered> | null = null;
  #failure: { readonly at: number; readonly error: HttpError } | null = null;

  constructor({ settings, fetch, clock }: IssuerOptions) {
    this.settings = settings;
    this.#fetch = boundedFetch(fetch);
    this.#clock = clock;
  }

  /**
   * Returns the claims of a token for one of these audiences. Rejects with TokenError, and with issuer_unavailable.
   */
  async verify(
    token: string,
    audience: readonly string[],
    kind: keyof typeof TYPES = 'token',
  ): Promise<Claims> {
    const { keys, algorithms } = await this.#discover();
    const { jwtVerify } = await import('jose');
    let verified;
    try {
      verified = await jwtVerify(token, keys, {
        algorithms: [...algorithms],
        issuer: this.settings.issuer,
        audience: [...audience],
        clockTolerance: CLOCK_SKEW_SECONDS,
        currentDate: new Date(this.#clock.now()),
        requiredClaims: kind === 'token' ? ['exp', 'sub'] : ['iat'],
      });
    } catch (error) {
      if (error instanceof HttpError) throw error;
      const reason = reasonOf(error);
      if (reason === null) throw issuerUnavailable(this.settings.name, error);
      throw new TokenError(reason, error);
    }
    const { payload, protectedHeader } = verified;
    const { typ = 'JWT' } = protectedHeader;
    if (!TYPES[kind].has(typ.toLowerCase())) throw new TokenError('its type is not accepted');
    if (kind === 'token' && payload['events'] !== undefined) throw new TokenError('its type is not accepted');
    if (payload['cnf'] !== undefined) throw new TokenError('it is bound to a key, which is not supported');
    const { sub } = payload;
    if (sub !== undefined && !isSubject(sub)) throw new TokenError('its claim "sub" is not accepted');
    return { ...payload, iss: this.settings.issuer };
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#clock.now();
  }

  /** Returns the issuer and a client of it, for its other endpoints. Rejects with issuer_unavailable. */
  async client(clientId: string, clientSecret: string | undefined): Promise<Configuration> {
    const { metadata } = await this.#discover();
    const openid = await import('openid-client');
    const authentication =
      clientSecret === undefined
        ? openid.None()
        : takesSecretInBody(metadata)
          ? openid.ClientSecretPost(clientSecret)
          : openid.ClientSecretBasic(clientSecret);
    const client = { [openid.clockTolerance]: CLOCK_SKEW_SECONDS };
    const configuration = new openid.Configuration(metadata, clientId, client, authentication);
    configuration[openid.customFetch] = (url, options) => this.#fetch(url, options as RequestInit);
    // An issuer without TLS is one of the own host.
    if (metadata.issuer.startsWith('http:')) openid.allowInsecureRequests(configuration);
    return configuration;
  }

  async #discover(): Promise<Discovered> {
    const now = this.#clock.now();
    const found = this.#discovered;
    if (found !== null && now - found.loadedAt < METADATA_MILLISECONDS) return found;
    if (this.#failure !== null && now - this.#failure.at < FAILURE_PAUSE_MILLISECONDS) {
      // What was known goes on to count while the issuer is away.
      if (found !== null) return found;
      throw this.#failure.error;
    }
    this.#loading ??= this.#load().finally(() => (this.#loading = null));
    if (found === null) return this.#loading;
    return this.#loading.catch(() => found);
  }

  async #load(): Promise<Discovered> {
    const { issuer } = this.settings;
    const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const metadata = (await (await this.#get(address)).json().catch((error: unknown) => {
      throw this.#unavailable(error);
    })) as ServerMetadata;
    if (metadata.issuer !== issuer)
      throw this.#unavailable(new Error(`its document is of the issuer ${String(metadata.issuer)}`));
    const { jwks_uri: keysAddress, id_token_signing_alg_values_supported: signing } = metadata;
    if (typeof keysAddress !== 'string' || !isSafeUrl(keysAddress))
      throw this.#unavailable(new Error('its document has no safe jwks_uri'));
    const names: readonly unknown[] = Array.isArray(signing) ? signing : ['RS256'];
    const algorithms = names.filter((name) => ASYMMETRIC.has(name as string)) as string[];
    const { createRemoteJWKSet, customFetch } = await import('jose');
    const keys = createRemoteJWKSet(new URL(keysAddress), {
      cacheMaxAge: KEYS_MILLISECONDS,
      cooldownDuration: KEYS_PAUSE_MILLISECONDS,
      [customFetch]: (url: string) => this.#getUnlessFailed(url),
    });
    this.#discovered = { metadata, algorithms, keys, loadedAt: this.#clock.now() };
    return this.#discovered;
  }

  /** Does not repeat a failed fetch at once, however many tokens name unknown keys. */
  #getUnlessFailed(url: string): Promise<Response> {
    const failure = this.#failure;
    if (failure !== null && this.#clock.now() - failure.at < FAILURE_PAUSE_MILLISECONDS)
      return Promise.reject(failure.error);
    return this.#get(url);
  }

  async #get(url: string): Promise<Response> {
    try {
      const response = await this.#fetch(url, { headers: { accept: 'application/json' } });
      if (response.status !== 200) throw new Error(`it answered ${response.status}`);
      this.#failure = null;
      return response;
    } catch (error) {
      throw this.#unavailable(error);
    }
  }

  #unavailable(cause: unknown): HttpError {
    const error = issuerUnavailable(this.settings.name, cause);
    this.#failure = { at: this.#clock.now(), error };
    return error;
  }
}

function isSubject(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > MAXIMUM_SUBJECT_LENGTH) return false;
  return unstorableCharacter(value) === null;
}

/** Whether the issuer takes the secret of a client in the body alone; else it is sent by HTTP Basic. */
function takesSecretInBody({ token_endpoint_auth_methods_supported: methods }: ServerMetadata): boolean {
  return methods !== undefined && !methods.includes('client_secret_basic');
}

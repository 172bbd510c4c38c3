import type { IncomingMessage } from 'node:http';
import { hashApiKey } from '@millrace/runs';
import type { Principal, Scope } from '@millrace/runs';
import type { TokenBuckets } from '@millrace/service';
import { queryOf } from '../http/query';
import { RequestError } from '../http/request-error';
import type { KeyUsage } from './key-usage';
import type { PrincipalCache } from './principal-cache';

/** Which words a refused caller gets: those of the run endpoints, of the management endpoints, or of webhook events. */
export type Door = 'run' | 'management' | 'events';

const LONGEST_KEY = 512;
const KEY_PREFIX = 'sk-';
const NO_CREDENTIALS = 'Missing or invalid credentials (cookie or API key).';
const refusals = {
  run: {
    missing: 'An API key must be passed as query or header',
    invalid: 'Invalid or missing API key',
  },
  management: { missing: 'No authentication credentials provided', invalid: 'Invalid API key' },
  events: { missing: NO_CREDENTIALS, invalid: NO_CREDENTIALS },
} as const;

/** What a route asks of its caller. */
export interface Access {
  readonly door: Door;
  readonly scope: Scope;
  /** Set where `Authorization: Bearer sk-…` holds the key, as clients of OpenAI's interface send it. */
  readonly takesBearer?: true;
}

export interface AuthenticatorOptions {
  readonly principals: PrincipalCache;
  readonly usage: KeyUsage;
  /** Whether a key may come in the query, where proxies and logs see it. */
  readonly queryKeys: boolean;
  /** How often a key may come, and what is left of that; null when there is no limit. */
  readonly limit: { readonly perSecond: number; readonly buckets: TokenBuckets } | null;
}

/**
 * Finds the caller by the API key in the query, in the header `x-api-key` or, where the route takes it, in a bearer
 * token. The first of these that holds a key counts, as in Langflow, so that clients of OpenAI's interface that send
 * their key in `x-api-key` may send any bearer token beside it.
 */
export class Authenticator {
  readonly #options: AuthenticatorOptions;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** Answers at once when the key is cached. Throws key_missing, key_invalid, token_invalid, permission_denied, rate_limited. */
  authenticate(request: IncomingMessage, access: Access): Principal | Promise<Principal> {
    const { door, scope, takesBearer = false } = access;
    if (door === 'management' && bearerToken(request)) {
      throw new RequestError('token_invalid', 'Invalid token', { headers: { 'www-authenticate': 'Bearer' } });
    }
    const key = this.#keyOf(request) ?? (takesBearer ? bearerKey(request) : null);
    if (key === null) throw new RequestError('key_missing', refusals[door].missing);
    if (key.length > LONGEST_KEY) throw new RequestError('key_invalid', refusals[door].invalid);
    const principal = this.#options.principals.find(hashApiKey(key));
    if (principal instanceof Promise) return principal.then((found) => this.#admit(found, door, scope));
    return this.#admit(principal, door, scope);
  }

  #keyOf(request: IncomingMessage): string | null {
    if (this.#options.queryKeys && request.url?.includes('x-api-key')) {
      const key = queryOf(request).get('x-api-key');
      if (key) return key;
    }
    const header = request.headers['x-api-key'];
    return typeof header === 'string' && header !== '' ? header : null;
  }

  #admit(principal: Principal | null, door: Door, scope: Scope): Principal {
    if (!principal) throw new RequestError('key_invalid', refusals[door].invalid);
    if (!principal.scopes.includes(scope)) throw new RequestError('permission_denied', 'Permission denied');
    this.#slowDown(principal);
    this.#options.usage.count(principal.keyHash);
    return principal;
  }

  #slowDown({ keyHash }: Principal): void {
    const { limit } = this.#options;
    const wait = limit?.buckets.take(keyHash) ?? null;
    if (!limit || wait === null) return;
    const text = `This API key may make ${limit.perSecond} requests a second.`;
    throw new RequestError('rate_limited', text, { headers: { 'retry-after': String(Math.ceil(wait)) } });
  }
}

/** The token when it looks like an API key of ours. Several headers are joined, so that none of them is taken. */
function bearerKey(request: IncomingMessage): string | null {
  const header = request.headersDistinct['authorization']?.join(', ') ?? '';
  const token = /^bearer +(.+)$/i.exec(header)?.[1];
  return token?.startsWith(KEY_PREFIX) ? token : null;
}

function bearerToken(request: IncomingMessage): boolean {
  return /^bearer\s/i.test(request.headers.authorization ?? '');
}

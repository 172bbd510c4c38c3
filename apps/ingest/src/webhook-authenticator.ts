import type { IncomingMessage } from 'node:http';
import { HttpError } from '@millrace/http';
import { hashApiKey } from '@millrace/runs';
import type { FlowReference, FlowStore, KeyUsage, Principal, PrincipalCache } from '@millrace/runs';
import { TokenBuckets } from '@millrace/service';
import { LRUCache } from 'lru-cache';

const FLOW_TTL_MILLISECONDS = 2_000;

export interface WebhookAuthenticatorDependencies {
  readonly principals: PrincipalCache;
  readonly usage: KeyUsage;
  readonly flows: FlowStore;
  readonly webhookAuthentication: 'required' | 'off';
  /** Maximum number of requests of a key per second; undefined for no limit. */
  readonly keyRequestsPerSecond?: number | undefined;
  /** How many processes share that limit; default 1. */
  readonly limitProcesses?: number;
}

/**
 * Resolves the caller and the flow of a webhook request. With a key (the header takes precedence over the query) the
 * caller is the key's owner, who must own the flow; without authentication, or with a signature instead, it is the
 * flow's owner. The setting of the flow takes precedence over that of the service. Texts and order of checks are
 * Langflow's.
 */
export class WebhookAuthenticator {
  readonly #dependencies: WebhookAuthenticatorDependencies;
  // Bounded by size, because `max` would allocate memory for all entries at once.
  readonly #flows = new LRUCache<string, { readonly flow: FlowReference | null }>({
    maxSize: 10_000,
    sizeCalculation: () => 1,
    ttl: FLOW_TTL_MILLISECONDS,
  });
  readonly #buckets: TokenBuckets | null;

  constructor(dependencies: WebhookAuthenticatorDependencies) {
    this.#dependencies = dependencies;
    const { keyRequestsPerSecond: perSecond, limitProcesses = 1 } = dependencies;
    this.#buckets =
      perSecond === undefined ? null : new TokenBuckets({ perSecond: perSecond / limitProcesses });
  }

  async authenticate(
    request: IncomingMessage,
    reference: string,
    query: URLSearchParams,
  ): Promise<FlowReference> {
    const notFound = () => new HttpError('flow_unknown', `Flow identifier ${reference} not found`);
    const header = request.headers['x-api-key'];
    const key = (typeof header === 'string' && header) || query.get('x-api-key');
    // Run both queries in parallel: with a distant database they make up most of the response time.
    const [flowLookup, principalLookup] = await Promise.allSettled([
      this.#flow(null, reference),
      key ? this.#dependencies.principals.find(hashApiKey(key)) : null,
    ]);
    const uniqueFlow = settledValue(flowLookup);
    const authentication = uniqueFlow?.settings.webhookAuth ?? this.#dependencies.webhookAuthentication;
    // A signed request needs no key: its signature is verified once the body has arrived.
    if (authentication === 'off' || uniqueFlow?.settings.webhook?.signature) {
      if (!uniqueFlow) throw notFound();
      return uniqueFlow;
    }
    if (!key) throw new HttpError('key_missing', 'API key required when webhook authentication is enabled');
    const principal = settledValue(principalLookup);
    if (!principal?.scopes.includes('run')) throw new HttpError('key_invalid', 'Invalid API key');
    this.#checkRateLimit(principal);
    this.#dependencies.usage.count(principal.keyHash);
    const flow =
      uniqueFlow?.userId === principal.userId ? uniqueFlow : await this.#flow(principal.userId, reference);
    if (!flow) throw notFound();
    return flow;
  }

  #checkRateLimit({ keyHash }: Principal): void {
    const wait = this.#buckets?.take(keyHash) ?? null;
    if (wait === null) return;
    const text = `Too many requests: the limit of this API key is ${this.#dependencies.keyRequestsPerSecond} per second.`;
    throw new HttpError('rate_limited', text, { headers: { 'retry-after': String(Math.ceil(wait)) } });
  }

  /** Removes all flows from the cache. */
  forgetFlows(): void {
    this.#flows.clear();
  }

  async #flow(userId: string | null, reference: string): Promise<FlowReference | null> {
    const cacheKey = `${userId ?? ''}/${reference}`;
    const cached = this.#flows.get(cacheKey);
    if (cached) return cached.flow;
    const flow = await this.#dependencies.flows.resolve(userId, reference);
    // Cache only flows that exist: a missing one can be uploaded at any moment.
    if (flow) this.#flows.set(cacheKey, { flow });
    return flow;
  }
}

function settledValue<T>(outcome: PromiseSettledResult<T>): T {
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

import type { IncomingMessage } from 'node:http';
import { hashApiKey } from '@millrace/runs';
import type { ApiKeyStore, FlowReference, FlowStore, Principal } from '@millrace/runs';
import { TokenBuckets } from '@millrace/service';
import type { SharedClock } from '@millrace/service';
import { LRUCache } from 'lru-cache';
import { IngestAnswer } from './ingest-answer';

const KNOWN_MILLISECONDS = 30_000;
const UNKNOWN_MILLISECONDS = 5_000;
const FLOW_MILLISECONDS = 2_000;

export interface WebhookCallerDependencies {
  readonly apiKeys: ApiKeyStore;
  readonly flows: FlowStore;
  readonly clock: SharedClock;
  readonly webhookAuthentication: 'required' | 'off';
  /** How often a key may come in a second; undefined when there is no limit. */
  readonly keyRequestsPerSecond?: number | undefined;
  /** How many processes share that limit; one unless given. */
  readonly limitProcesses?: number;
}

/**
 * Who calls a webhook, and which flow: with a key (the header wins over the query) the key's owner, who must own the
 * flow; without authentication, or with signatures in its place, the flow's owner. The flow's own setting wins over the service's. Texts and order of checks are Langflow's.
 */
export class WebhookCaller {
  readonly #dependencies: WebhookCallerDependencies;
  // Bounded by size, because with `max` the room for all entries is taken at once.
  readonly #principals = new LRUCache<string, { readonly principal: Principal | null }>({
    maxSize: 50_000,
    sizeCalculation: () => 1,
  });
  readonly #flows = new LRUCache<string, { readonly flow: FlowReference | null }>({
    maxSize: 10_000,
    sizeCalculation: () => 1,
    ttl: FLOW_MILLISECONDS,
  });
  readonly #uses = new Map<string, number>();
  readonly #buckets: TokenBuckets | null;

  constructor(dependencies: WebhookCallerDependencies) {
    this.#dependencies = dependencies;
    const { keyRequestsPerSecond: perSecond, limitProcesses = 1 } = dependencies;
    this.#buckets =
      perSecond === undefined ? null : new TokenBuckets({ perSecond: perSecond / limitProcesses });
  }

  async identify(
    request: IncomingMessage,
    reference: string,
    query: URLSearchParams,
  ): Promise<FlowReference> {
    const notFound = () => new IngestAnswer('flow_unknown', `Flow identifier ${reference} not found`);
    const header = request.headers['x-api-key'];
    const key = (typeof header === 'string' && header) || query.get('x-api-key');
    // Both are asked for at once: on a long way to the database that is what a sender waits for.
    const [found, caller] = await Promise.allSettled([
      this.#flow(null, reference),
      key ? this.#principal(hashApiKey(key)) : null,
    ]);
    const named = settled(found);
    const authentication = named?.settings.webhookAuth ?? this.#dependencies.webhookAuthentication;
    // Whoever signs needs no key: the signature is checked once the body is here.
    if (authentication === 'off' || named?.settings.webhook?.signature) {
      if (!named) throw notFound();
      return named;
    }
    if (!key)
      throw new IngestAnswer('key_missing', 'API key required when webhook authentication is enabled');
    const principal = settled(caller);
    if (!principal?.scopes.includes('run')) throw new IngestAnswer('key_invalid', 'Invalid API key');
    this.#slowDown(principal);
    this.#uses.set(principal.keyHash, (this.#uses.get(principal.keyHash) ?? 0) + 1);
    const flow = named?.userId === principal.userId ? named : await this.#flow(principal.userId, reference);
    if (!flow) throw notFound();
    return flow;
  }

  #slowDown({ keyHash }: Principal): void {
    const wait = this.#buckets?.take(keyHash) ?? null;
    if (wait === null) return;
    const text = `This API key may make ${this.#dependencies.keyRequestsPerSecond} requests a second.`;
    throw new IngestAnswer('rate_limited', text, { 'retry-after': String(Math.ceil(wait)) });
  }

  /** Forget what was known of a key or a flow. */
  forgetKey(keyHash: string): void {
    this.#principals.delete(keyHash);
  }

  forgetFlows(): void {
    this.#flows.clear();
  }

  /** How often each key was used since the last call. */
  takeUses(): ReadonlyMap<string, number> {
    const uses = new Map(this.#uses);
    this.#uses.clear();
    return uses;
  }

  async #principal(keyHash: string): Promise<Principal | null> {
    let known = this.#principals.get(keyHash);
    if (!known) {
      known = { principal: await this.#dependencies.apiKeys.resolve(keyHash) };
      this.#principals.set(keyHash, known, {
        ttl: known.principal ? KNOWN_MILLISECONDS : UNKNOWN_MILLISECONDS,
      });
    }
    const { principal } = known;
    return principal?.expiresAt && principal.expiresAt.getTime() <= this.#dependencies.clock.now()
      ? null
      : principal;
  }

  async #flow(userId: string | null, reference: string): Promise<FlowReference | null> {
    const cacheKey = `${userId ?? ''}/${reference}`;
    const known = this.#flows.get(cacheKey);
    if (known) return known.flow;
    const flow = await this.#dependencies.flows.resolve(userId, reference);
    // A flow that is not there yet may be uploaded the next moment: only what exists is kept.
    if (flow) this.#flows.set(cacheKey, { flow });
    return flow;
  }
}

function settled<T>(outcome: PromiseSettledResult<T>): T {
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

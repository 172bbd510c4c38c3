import { HttpError } from '@millrace/http';
import { openMemoryStore } from '@millrace/key-value';
import type { Admitted, KeyValueStore, Rate } from '@millrace/key-value';
import type { FlowReference, LimitScope, Principal } from '@millrace/runs';
import type { Logger } from '@millrace/service';

export interface RequestLimitsOptions {
  /** Requests a second of a key that has no limit of its own, over all processes together; undefined for no limit. */
  readonly keyRequestsPerSecond: number | undefined;
  /** Counts for all processes. */
  readonly keyValue: Pick<KeyValueStore, 'admit'>;
  /** Among how many processes a limit is divided while the key-value store is away. */
  readonly processes: number;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** A request that limits can apply to. */
export interface LimitedRequest {
  /** Null where no key is needed. */
  readonly principal: Pick<Principal, 'keyId' | 'userId' | 'limits'> | null;
  /** The flow that the request runs; null for none. */
  readonly flow: Pick<FlowReference, 'id' | 'projectId' | 'userId' | 'limits'> | null;
  /** Gets the headers that say what is left. */
  readonly response?: { setHeader(name: string, value: string): unknown };
}

/** A limit that applies to a request. */
interface Applied {
  readonly scope: LimitScope;
  readonly perSecond: number;
  readonly rate: Rate;
}

/** A burst of half a second keeps any ten seconds below 1.05 times the limit. */
const BURST_SECONDS = 0.5;
/**
 * The part of a limit that gateways, and as much again ingest services, grant while the key-value store is away: with their bursts at
 * most twice the limit.
 */
const PART_WHILE_AWAY = 0.9;
const NAMES: Readonly<Record<LimitScope, string>> = {
  key: 'API key',
  user: 'user',
  project: 'project',
  flow: 'flow',
};

/** Limits the rate of requests of keys, users, projects and flows, over all processes. */
export class RequestLimits {
  readonly #options: RequestLimitsOptions;
  readonly #own: KeyValueStore = openMemoryStore();
  /** False while the key-value store does not count. */
  #isShared = true;

  constructor(options: RequestLimitsOptions) {
    this.#options = options;
  }

  /**
   * Counts a request for all limits that apply to it, in one exchange; undefined where none does. Rejects with rate_limited, which
   * has the seconds until the next request is accepted, and counts nothing then.
   */
  count(request: LimitedRequest): Promise<void> | undefined {
    const { keyRequestsPerSecond } = this.#options;
    const { principal, flow } = request;
    const ofKey = principal?.limits;
    const ofFlow = flow?.limits;
    if (!ofKey && !ofFlow && (keyRequestsPerSecond === undefined || principal === null)) return undefined;
    const owner = principal?.userId ?? flow?.userId ?? '';
    const applied = [
      principal && limit('key', principal.keyId, ofKey?.key?.requestsPerSecond ?? keyRequestsPerSecond),
      limit('user', owner, (ofKey?.user ?? ofFlow?.user)?.requestsPerSecond),
      flow && limit('project', flow.projectId ?? '', ofFlow?.project?.requestsPerSecond),
      flow && limit('flow', flow.id, ofFlow?.flow?.requestsPerSecond),
    ].filter((one) => one !== null);
    return applied.length === 0 ? undefined : this.#count(applied, request);

    function limit(scope: LimitScope, id: string, perSecond: number | undefined): Applied | null {
      if (perSecond === undefined) return null;
      return { scope, perSecond, rate: rateOf(`limit:{${owner}}:${scope}:${id}`, perSecond) };
    }
  }

  async #count(applied: readonly Applied[], { response }: LimitedRequest): Promise<void> {
    const { refused, waitMilliseconds, rates } = await this.#admit(applied);
    if (refused !== null) throw refusal(applied[refused], waitMilliseconds);
    if (response === undefined) return;
    response.setHeader('ratelimit-policy', applied.map(policyOf).join(', '));
    const left = applied.map(({ scope }, index) => {
      const { remaining = 0, resetMilliseconds = 0 } = rates[index] ?? {};
      return `"${scope}";r=${remaining};t=${Math.ceil(resetMilliseconds / 1_000)}`;
    });
    response.setHeader('ratelimit', left.join(', '));
  }

  async #admit(applied: readonly Applied[]): Promise<Admitted> {
    const { keyValue, processes } = this.#options;
    try {
      const admitted = await keyValue.admit({ rates: applied.map(({ rate }) => rate) });
      this.#noteShared(true);
      return admitted;
    } catch (error) {
      this.#noteShared(false, error);
      const part = PART_WHILE_AWAY / processes;
      return this.#own.admit({
        rates: applied.map(({ rate, perSecond }) => rateOf(rate.key, perSecond * part)),
      });
    }
  }

  /** Writes a line for each change. */
  #noteShared(isShared: boolean, error?: unknown): void {
    if (isShared === this.#isShared) return;
    this.#isShared = isShared;
    const { logger } = this.#options;
    if (isShared) logger.info({}, 'limits are shared again');
    else logger.warn({ error }, 'limits are divided among processes: Redis does not count');
  }
}

function rateOf(key: string, perSecond: number): Rate {
  return { key, perSecond, burst: Math.max(1, perSecond * BURST_SECONDS) };
}

function refusal(applied: Applied | undefined, waitMilliseconds: number): HttpError {
  const { scope, perSecond } = applied ?? { scope: 'key' as const, perSecond: 0 };
  const wait = Math.ceil(waitMilliseconds / 1_000);
  const text = `Too many requests: the limit of this ${NAMES[scope]} is ${perSecond} per second.`;
  return new HttpError('rate_limited', text, {
    headers: {
      'retry-after': String(wait),
      'ratelimit-policy': policyOf({ scope, perSecond }),
      ratelimit: `"${scope}";r=0;t=${wait}`,
    },
  });
}

/** A quota is a whole number. */
function policyOf({ scope, perSecond }: Pick<Applied, 'scope' | 'perSecond'>): string {
  return Number.isInteger(perSecond)
    ? `"${scope}";q=${perSecond};w=1`
    : `"${scope}";q=${Math.max(1, Math.round(perSecond * 60))};w=60`;
}

import { randomUUID } from 'node:crypto';
import { HttpError } from '@millrace/http';
import { openMemoryStore } from '@millrace/key-value';
import type { Admission, Admitted, Amount, KeyValueStore, Places, Rate } from '@millrace/key-value';
import { actingUser } from '@millrace/runs';
import type { FlowReference, Limits, Principal } from '@millrace/runs';
import { machineTime } from '@millrace/service';
import type { Logger } from '@millrace/service';
import { LRUCache } from 'lru-cache';
import { AMOUNT_WHILE_AWAY, amountHeaders, amountsOf, givenBack, tooManyBytes } from './byte-limits';
import type { AppliedAmount, FileBytes, SendingRequest, SentBytes } from './byte-limits';
import { limitNames } from './limit-names';
import type { RequestScope } from './limit-names';

export interface RequestLimitsOptions {
  /** Requests a second of a key that has no limit of its own, over all processes together; undefined for no limit. */
  readonly keyRequestsPerSecond: number | undefined;
  /** Counts for all processes. */
  readonly keyValue: Pick<KeyValueStore, 'admit' | 'keep' | 'release'>;
  /** Among how many processes a limit is divided while the key-value store is away. */
  readonly processes: number;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** A request that limits can apply to. */
export interface LimitedRequest {
  /** Null where no key is needed. */
  readonly principal: Pick<Principal, 'keyId' | 'userId' | 'limits' | 'member'> | null;
  /** The flow that the request runs; null for none. */
  readonly flow: Pick<FlowReference, 'id' | 'projectId' | 'userId' | 'limits'> | null;
  /** The end user of the run, with the limits of the key that acts for them; null and absent for none. */
  readonly endUser?: { readonly name: string; readonly limits: Limits | undefined } | null;
  /**
   * Given where the request waits for a run: gets the function to call when the wait ends. Until then the run counts as a concurrent one.
   */
  readonly onWaiting?: ((release: () => void) => void) | undefined;
  /** What its body has, and the file that it uploads. Nothing unless given. */
  readonly bytes?: SentBytes;
  /** Gets the headers that say what is left. */
  readonly response?: { setHeader(name: string, value: string): unknown };
}

/** A limit of requests a second that applies to a request. */
interface AppliedRate {
  readonly scope: RequestScope;
  readonly perSecond: number;
  readonly rate: Rate;
}

/** A limit of concurrent runs that applies to a request. */
interface AppliedPlaces {
  readonly scope: RequestScope;
  readonly places: Places;
}

/** A burst of half a second keeps any ten seconds below 1.05 times the limit. */
const BURST_SECONDS = 0.5;
/**
 * The part of a limit that gateways, and as much again ingest services, grant while the key-value store is away: with their bursts at
 * most twice the limit.
 */
const PART_WHILE_AWAY = 0.9;
/** The places of a process that dies are free again after this time. */
const PLACE_MILLISECONDS = 30_000;
const KEEP_MILLISECONDS = 10_000;
/** For how long at most a process refuses requests without asking the key-value store, and of how many rates. */
const USED_UP_MILLISECONDS = 1_000;
const MAXIMUM_USED_UP = 1_000;

/** What applies to a request. */
interface Applied {
  readonly rates: readonly AppliedRate[];
  readonly amounts: readonly AppliedAmount[];
  readonly places: readonly AppliedPlaces[];
}

type CountingStore = Pick<KeyValueStore, 'admit'>;

/** Limits requests a second, bytes a day and concurrent runs of keys, users, projects, flows and end users, over all processes. */
export class RequestLimits {
  readonly #options: RequestLimitsOptions;
  readonly #own: KeyValueStore = openMemoryStore();
  /** The ids of the runs that wait here, by the key of the places that they take. */
  readonly #taken = new Map<string, Set<string>>();
  /** Rates that have refused a request: when they did, and when they can grant one, by the machine's clock. */
  readonly #usedUp = new LRUCache<string, { readonly since: number; readonly grantsAt: number }>({
    max: MAXIMUM_USED_UP,
  });
  #keeping: NodeJS.Timeout | undefined;
  /** False while the key-value store does not count. */
  #isShared = true;

  constructor(options: RequestLimitsOptions) {
    this.#options = options;
  }

  /** Returns false for a request that no limit applies to. */
  canApply({ principal, flow, endUser }: Pick<LimitedRequest, 'principal' | 'flow' | 'endUser'>): boolean {
    if (principal?.limits || flow?.limits || endUser?.limits) return true;
    return this.#options.keyRequestsPerSecond !== undefined && principal !== null;
  }

  /**
   * Counts a request for all limits that apply to it, in one exchange; undefined where none does. Rejects with rate_limited, which
   * has the seconds until the next request is accepted, or too_many_callers, and counts nothing then.
   */
  count(request: LimitedRequest): Promise<void> | undefined {
    const { keyRequestsPerSecond } = this.#options;
    const { principal, flow } = request;
    // A request that runs nothing counts for no end user.
    const endUser = flow === null ? null : (request.endUser ?? null);
    const ofKey = principal?.limits;
    const ofFlow = flow?.limits;
    if (!this.canApply(request)) return undefined;
    const owner = principal?.userId ?? flow?.userId ?? '';
    const ofCaller = principal ? actingUser(principal) : '';
    const rates = [
      principal && limit('key', principal.keyId, ofKey?.key?.requestsPerSecond ?? keyRequestsPerSecond),
      limit('user', owner, (ofKey?.user ?? ofFlow?.user)?.requestsPerSecond),
      flow && limit('project', flow.projectId ?? '', ofFlow?.project?.requestsPerSecond),
      flow && limit('flow', flow.id, ofFlow?.flow?.requestsPerSecond),
      endUser && limit('end_user', endUser.name, endUser.limits?.endUserRequestsPerSecond),
    ].filter((one) => one !== null);
    const places = request.onWaiting
      ? [
          room('user', owner, (ofKey?.user ?? ofFlow?.user)?.concurrentRuns),
          flow && room('project', flow.projectId ?? '', ofFlow?.project?.concurrentRuns),
          flow && room('flow', flow.id, ofFlow?.flow?.concurrentRuns),
          endUser && room('end_user', endUser.name, endUser.limits?.endUserConcurrentRuns),
        ].filter((one) => one !== null)
      : [];
    return this.#countAll({ rates, amounts: amountsOf(request), places }, request);

    function room(scope: RequestScope, id: string, maximum: number | undefined): AppliedPlaces | null {
      return maximum === undefined ? null : { scope, places: { key: placesKey(owner, scope, id), maximum } };
    }

    function limit(scope: RequestScope, id: string, perSecond: number | undefined): AppliedRate | null {
      if (perSecond === undefined) return null;
      const user = scope === 'key' ? ofCaller : owner;
      return { scope, perSecond, rate: rateOf(`limit:{${user}}:${scope}:${id}`, perSecond) };
    }
  }

  /** Counts a run for its flow and project, of a request that has been counted for its key and user; as `count` otherwise. */
  countRun(
    flow: NonNullable<LimitedRequest['flow']>,
    request: Omit<LimitedRequest, 'principal' | 'flow'> = {},
  ): Promise<void> | undefined {
    return this.count({ ...request, principal: null, flow: withoutUserRate(flow) });
  }

  /** Counts the bytes of a request that has been counted before; as `count` otherwise. */
  countBytes(request: SendingRequest): Promise<void> | undefined {
    if (!request.principal?.limits && !request.flow?.limits) return undefined;
    return this.#countAll({ rates: [], amounts: amountsOf(request), places: [] }, request);
  }

  /** Counts the bytes of a file in parts, for a request that has been counted before. */
  countFile(request: Omit<SendingRequest, 'bytes'>): FileBytes {
    const counted: (() => Promise<unknown>)[] = [];
    return {
      add: (file) => {
        if (!request.principal?.limits && !request.flow?.limits) return undefined;
        const amounts = amountsOf({ ...request, bytes: { file } });
        if (amounts.length === 0) return undefined;
        const applied = { rates: [], amounts, places: [] };
        return this.#count(applied, request).then((store) => {
          for (const one of exchangesOf(applied, request.principal))
            counted.push(() => store.admit({ rates: [], amounts: one.amounts.map(givenBack) }));
        });
      },
      giveBack: () => {
        // Without the store they count until the end of the day.
        for (const back of counted.splice(0))
          back().catch((error: unknown) => this.#noteShared(false, error));
      },
    };
  }

  #countAll(applied: Applied, request: LimitedRequest): Promise<void> | undefined {
    const { rates, amounts, places } = applied;
    if (rates.length + amounts.length + places.length === 0) return undefined;
    return this.#count(applied, request).then(() => undefined);
  }

  /** Resolves to the store that has counted; after several exchanges, to that of the last. */
  async #count(all: Applied, { principal, onWaiting, response }: LimitedRequest): Promise<CountingStore> {
    this.#refuseUsedUp(all);
    let counting: CountingStore = this.#options.keyValue;
    const policies: string[] = [];
    const left: string[] = [];
    const counted: (() => Promise<unknown>)[] = [];
    for (const applied of exchangesOf(all, principal)) {
      const { rates, amounts, places } = applied;
      const id = places.length > 0 ? randomUUID() : '';
      const { store, ...admitted } = await this.#admit(applied, id);
      counting = store;
      if (admitted.refused !== null) {
        for (const back of counted) back().catch((error: unknown) => this.#noteShared(false, error));
        const { refused, waitMilliseconds } = admitted;
        const rate = rates[refused];
        const since = machineTime();
        if (rate) this.#usedUp.set(usedUpKey(rate), { since, grantsAt: since + waitMilliseconds });
        throw refusalOf(applied, refused, waitMilliseconds);
      }
      if (amounts.length > 0) counted.push(() => store.admit({ rates: [], amounts: amounts.map(givenBack) }));
      if (places.length > 0) onWaiting?.(this.#hold(places, id));
      const bytes = amounts.map((amount, index) => amountHeaders(amount, admitted.amounts[index] ?? 0));
      policies.push(...rates.map(policyOf), ...bytes.map((each) => each['ratelimit-policy']));
      for (const [index, { scope }] of rates.entries()) {
        const { remaining = 0, resetMilliseconds = 0 } = admitted.rates[index] ?? {};
        left.push(`"${scope}";r=${remaining};t=${Math.ceil(resetMilliseconds / 1_000)}`);
      }
      left.push(...bytes.map(({ ratelimit }) => ratelimit));
    }
    if (response === undefined || policies.length === 0) return counting;
    response.setHeader('ratelimit-policy', policies.join(', '));
    response.setHeader('ratelimit', left.join(', '));
    return counting;
  }

  /** Throws rate_limited while a rate that has refused a request cannot grant one: a flood costs no exchange for each request. */
  #refuseUsedUp(applied: Applied): void {
    if (this.#usedUp.size === 0) return;
    const now = machineTime();
    let refused = -1;
    let longest = 0;
    for (const [index, rate] of applied.rates.entries()) {
      const usedUp = this.#usedUp.get(usedUpKey(rate));
      // The clock can be set back.
      if (!usedUp || Math.abs(now - usedUp.since) >= USED_UP_MILLISECONDS) continue;
      if (usedUp.grantsAt - now > longest) [refused, longest] = [index, usedUp.grantsAt - now];
    }
    if (refused >= 0) throw refusalOf(applied, refused, longest);
  }

  async #admit(
    { rates: applied, amounts, places }: Applied,
    id: string,
  ): Promise<Admitted & { readonly store: CountingStore }> {
    const { keyValue, processes } = this.#options;
    const admission = (
      rates: readonly Rate[],
      used: readonly Amount[],
      of: readonly Places[],
    ): Admission => ({
      rates,
      ...(used.length > 0 && { amounts: used }),
      ...(of.length > 0 && { places: { id, ttlMilliseconds: PLACE_MILLISECONDS, of } }),
    });
    try {
      const admitted = await keyValue.admit(
        admission(
          applied.map(({ rate }) => rate),
          amounts.map((one) => one.amount),
          places.map((one) => one.places),
        ),
      );
      this.#noteShared(true);
      return { ...admitted, store: keyValue };
    } catch (error) {
      this.#noteShared(false, error);
      const part = PART_WHILE_AWAY / processes;
      const admitted = await this.#own.admit(
        admission(
          applied.map(({ rate, perSecond }) => rateOf(rate.key, perSecond * part)),
          amounts.map(({ amount }) => ({
            ...amount,
            maximum: Math.floor((amount.maximum * AMOUNT_WHILE_AWAY) / processes),
          })),
          places.map(({ places: { key, maximum } }) => ({
            key,
            maximum: maximum === 0 ? 0 : Math.max(1, Math.floor(maximum / processes)),
          })),
        ),
      );
      return { ...admitted, store: this.#own };
    }
  }

  /** Keeps places until the returned function is called. They count here, too, in case the key-value store goes away. */
  #hold(places: readonly AppliedPlaces[], id: string): () => void {
    const keys = places.map((one) => one.places.key);
    for (const key of keys) {
      const ids = this.#taken.get(key) ?? new Set<string>();
      this.#taken.set(key, ids.add(id));
      void this.#own.keep(key, [id], PLACE_MILLISECONDS);
    }
    this.#keeping ??= setInterval(() => this.#keep(), KEEP_MILLISECONDS).unref();
    return () => {
      for (const key of keys) {
        const ids = this.#taken.get(key);
        ids?.delete(id);
        if (ids?.size === 0) this.#taken.delete(key);
        void this.#own.release(key, [id]);
        // Without the store the place expires.
        this.#options.keyValue.release(key, [id]).catch((error: unknown) => this.#noteShared(false, error));
      }
    };
  }

  #keep(): void {
    if (this.#taken.size === 0) {
      clearInterval(this.#keeping);
      this.#keeping = undefined;
    }
    for (const [key, ids] of this.#taken) {
      void this.#own.keep(key, [...ids], PLACE_MILLISECONDS);
      this.#options.keyValue
        .keep(key, [...ids], PLACE_MILLISECONDS)
        .catch((error: unknown) => this.#noteShared(false, error));
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

function withoutUserRate<Flow extends NonNullable<LimitedRequest['flow']>>(flow: Flow): Flow {
  if (!flow.limits?.user) return flow;
  const { concurrentRuns } = flow.limits.user;
  const user = concurrentRuns === undefined ? {} : { concurrentRuns };
  return { ...flow, limits: { ...flow.limits, user } };
}

/**
 * Returns what is counted in one exchange each. The names of an exchange have the same user in braces: what a member's key counts in
 * all projects is apart from what the owner of the project counts.
 */
function exchangesOf(applied: Applied, principal: LimitedRequest['principal']): readonly Applied[] {
  if (principal?.member === undefined) return [applied];
  const { rates, amounts, places } = applied;
  const part = (isOfKey: boolean) => {
    const belongs = ({ scope }: { readonly scope: RequestScope }) => (scope === 'key') === isOfKey;
    return { rates: rates.filter(belongs), amounts: amounts.filter(belongs), places: isOfKey ? [] : places };
  };
  return [part(true), part(false)].filter((one) => Object.values(one).some(({ length }) => length > 0));
}

/** The rate with its limit, which can be changed. */
function usedUpKey({ rate: { key }, perSecond }: AppliedRate): string {
  return `${perSecond} ${key}`;
}

function rateOf(key: string, perSecond: number): Rate {
  return { key, perSecond, burst: Math.max(1, perSecond * BURST_SECONDS) };
}

/** Returns the key of the places for concurrent runs. */
export function placesKey(userId: string, scope: RequestScope, id: string): string {
  return `limit:{${userId}}:runs:${scope}:${id}`;
}

/** Returns the error for what refused a request. */
function refusalOf(
  { rates, amounts, places }: Applied,
  refused: number,
  waitMilliseconds: number,
): HttpError {
  if (refused < rates.length) return tooManyRequests(rates[refused], waitMilliseconds);
  const amount = amounts[refused - rates.length];
  if (amount !== undefined) return tooManyBytes(amount, machineTime());
  return tooManyRuns(places[refused - rates.length - amounts.length]);
}

function tooManyRuns(applied: AppliedPlaces | undefined): HttpError {
  const { scope, places } = applied ?? { scope: 'user' as const, places: { maximum: 0 } };
  const text = `Too many concurrent runs: the limit of this ${limitNames[scope]} is ${places.maximum}.`;
  return new HttpError('too_many_callers', text, { headers: { 'retry-after': '1' } });
}

function tooManyRequests(applied: AppliedRate | undefined, waitMilliseconds: number): HttpError {
  const { scope, perSecond } = applied ?? { scope: 'key' as const, perSecond: 0 };
  const wait = Math.ceil(waitMilliseconds / 1_000);
  const text = `Too many requests: the limit of this ${limitNames[scope]} is ${perSecond} per second.`;
  return new HttpError('rate_limited', text, {
    headers: {
      'retry-after': String(wait),
      'ratelimit-policy': policyOf({ scope, perSecond }),
      ratelimit: `"${scope}";r=0;t=${wait}`,
    },
  });
}

/** A quota is a whole number. */
function policyOf({ scope, perSecond }: Pick<AppliedRate, 'scope' | 'perSecond'>): string {
  return Number.isInteger(perSecond)
    ? `"${scope}";q=${perSecond};w=1`
    : `"${scope}";q=${Math.max(1, Math.round(perSecond * 60))};w=60`;
}

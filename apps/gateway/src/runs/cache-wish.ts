import type { CachePolicy, FlowSettings } from '@millrace/contracts';

/** How a run stands to the results of others; null when neither its flow nor its caller speaks of them. */
export type CacheWish = CachePolicy | 'bypass' | null;

/** As the setting of a flow: a day. */
const LONGEST_TTL_SECONDS = 86_400;
const MAXIMUM_AGE = /^max-age\s*=\s*"?(\d{1,9})"?$/;

/**
 * What a flow's setting and a request's `Cache-Control` ask for together. The setting opens the cache for all callers, and
 * `max-age=N` for one run of any flow; where both speak, the shorter time holds. `no-cache` and `no-store` leave the cache
 * aside. Directives that are unknown or malformed are passed over, as RFC 9111 asks.
 */
export function cacheWish(setting: FlowSettings['cache'], header: string | undefined): CacheWish {
  if (header === undefined) return setting ? policyOf(setting.ttlSeconds, undefined) : null;
  const directives = header.split(',').map((directive) => directive.trim().toLowerCase());
  if (directives.includes('no-cache') || directives.includes('no-store')) return 'bypass';
  const given = directives
    .map((directive) => MAXIMUM_AGE.exec(directive)?.[1])
    .find((age) => age !== undefined);
  const maximumAge = given === undefined ? undefined : Number(given);
  if (setting) return policyOf(setting.ttlSeconds, maximumAge);
  if (maximumAge === undefined || maximumAge === 0) return null;
  const ttlSeconds = Math.min(maximumAge, LONGEST_TTL_SECONDS);
  return { maximumAgeSeconds: ttlSeconds, ttlSeconds, byAuthor: false };
}

function policyOf(ttlSeconds: number, maximumAge: number | undefined): CachePolicy {
  return { maximumAgeSeconds: Math.min(maximumAge ?? ttlSeconds, ttlSeconds), ttlSeconds, byAuthor: true };
}

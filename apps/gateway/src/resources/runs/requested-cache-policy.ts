import type { CachePolicy, FlowSettings } from '@millrace/contracts';
import type { RequestedCachePolicy } from '../../runs/run-order';

/** One day, as for the setting of a flow. */
const MAXIMUM_TTL_SECONDS = 86_400;
const MAXIMUM_AGE = /^max-age\s*=\s*"?(\d{1,9})"?$/;

/**
 * Combines a flow's setting with the `Cache-Control` header of a request. The setting turns the cache on for all
 * callers, and `max-age=N` turns it on for one run of any flow. If both are given, the shorter time applies. `no-cache`
 * and `no-store` bypass the cache. Unknown and malformed directives are ignored, as RFC 9111 requires.
 */
export function requestedCachePolicy(
  setting: FlowSettings['cache'],
  header: string | undefined,
): RequestedCachePolicy {
  if (header === undefined) return setting ? policyOf(setting.ttlSeconds, undefined) : null;
  const directives = header.split(',').map((directive) => directive.trim().toLowerCase());
  if (directives.includes('no-cache') || directives.includes('no-store')) return 'bypass';
  const given = directives
    .map((directive) => MAXIMUM_AGE.exec(directive)?.[1])
    .find((age) => age !== undefined);
  const maximumAge = given === undefined ? undefined : Number(given);
  if (setting) return policyOf(setting.ttlSeconds, maximumAge);
  if (maximumAge === undefined || maximumAge === 0) return null;
  const ttlSeconds = Math.min(maximumAge, MAXIMUM_TTL_SECONDS);
  return { maximumAgeSeconds: ttlSeconds, ttlSeconds, byAuthor: false };
}

function policyOf(ttlSeconds: number, maximumAge: number | undefined): CachePolicy {
  return { maximumAgeSeconds: Math.min(maximumAge ?? ttlSeconds, ttlSeconds), ttlSeconds, byAuthor: true };
}

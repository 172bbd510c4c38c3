// The headers that only requests for runs have.
import type { IncomingHttpHeaders } from 'node:http';
import { CALLBACK_URL, callbackKinds } from '@millrace/flow';
import type { CachePolicy } from '@millrace/messages';
import type { Callback, FlowSettings } from '@millrace/flow';
import { headerText, HttpError } from '@millrace/http';
import type { RequestedCachePolicy } from '../runs/run-order';

/** The supported preferences of a caller (`Prefer`, RFC 7240). */
export interface Preferences {
  /** Whether the caller prefers an immediate answer to a long wait. */
  readonly respondAsync: boolean;
  /** How long the caller waits for a result first; 0 by default. */
  readonly waitSeconds: number;
}

const WAIT = /^wait\s*=\s*"?(\d{1,9})"?$/;

/** Reads the header. Ignores unknown and malformed preferences, as the RFC requires. */
export function readPreferences(header: string | string[] | undefined): Preferences {
  if (header === undefined) return { respondAsync: false, waitSeconds: 0 };
  const preferences = String(header)
    .split(',')
    .map((preference) => (preference.split(';', 1)[0] ?? '').trim().toLowerCase());
  const wait = preferences.map((preference) => WAIT.exec(preference)?.[1]).find((text) => text !== undefined);
  return { respondAsync: preferences.includes('respond-async'), waitSeconds: Number(wait ?? 0) };
}

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns the key that identifies repeated requests of one caller as one run; null when the caller gave none. Throws
 * idempotency_key_invalid.
 */
export function idempotencyKey(headers: IncomingHttpHeaders, userId: string): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && IDEMPOTENCY_KEY.test(key)) return `${userId} ${key}`;
  const text = 'An Idempotency-Key must have 1 to 255 visible ASCII characters.';
  throw new HttpError('idempotency_key_invalid', text);
}

const MAXIMUM_DEADLINE_SECONDS = 1_000_000;

/**
 * Returns the deadline that the caller sets for a run (`X-Deadline-Seconds`), in seconds; null when the caller sets
 * none. Throws invalid_request.
 */
export function requestedDeadline(headers: IncomingHttpHeaders): number | null {
  const input = headers['x-deadline-seconds'];
  if (input === undefined) return null;
  const seconds = typeof input === 'string' && /^\d{1,7}$/.test(input) ? Number(input) : 0;
  if (seconds >= 1 && seconds <= MAXIMUM_DEADLINE_SECONDS) return seconds;
  const msg = `Input should be a whole number of seconds from 1 to ${MAXIMUM_DEADLINE_SECONDS}`;
  throw new HttpError('invalid_request', [
    { type: 'int_parsing', loc: ['header', 'x-deadline-seconds'], msg, input },
  ]);
}

const MAXIMUM_CALLBACK_URL_LENGTH = 2_000;
const MAXIMUM_CALLBACK_SECRETS = 2;
const CALLBACK_PATTERN = new RegExp(CALLBACK_URL);

/**
 * Returns where the caller wants the end of the run to be reported (`X-Callback-Url`, `X-Callback-Secret`,
 * `X-Callback-On`); null for a request without `X-Callback-Url`. Throws invalid_request.
 */
export function requestedCallback(headers: IncomingHttpHeaders): Callback | null {
  const url = headers['x-callback-url'];
  if (url === undefined) {
    const orphan = ['x-callback-secret', 'x-callback-on'].find((name) => headers[name] !== undefined);
    if (orphan === undefined) return null;
    throw invalidHeader(
      'x-callback-url',
      null,
      `Input is required with ${orphan}: nothing would be reported`,
    );
  }
  if (
    typeof url !== 'string' ||
    url.length > MAXIMUM_CALLBACK_URL_LENGTH ||
    !CALLBACK_PATTERN.test(url) ||
    !URL.canParse(url)
  )
    throw invalidHeader('x-callback-url', url, 'Input should be an address over http or https');
  const secrets = namesIn(headers['x-callback-secret']);
  if (secrets.length === 0 || secrets.length > MAXIMUM_CALLBACK_SECRETS) {
    const msg = `Input should be the names of 1 to ${MAXIMUM_CALLBACK_SECRETS} variables that contain signing secrets`;
    throw invalidHeader('x-callback-secret', headers['x-callback-secret'] ?? null, msg);
  }
  const given = namesIn(headers['x-callback-on']);
  const on = callbackKinds.filter((kind) => given.includes(kind));
  if (on.length !== new Set(given).size)
    throw invalidHeader('x-callback-on', given, `Input should be some of ${callbackKinds.join(', ')}`);
  return { url, secrets, ...(on.length > 0 ? { on } : {}) };
}

function namesIn(header: string | string[] | undefined): readonly string[] {
  if (header === undefined) return [];
  return headerText(String(header))
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function invalidHeader(name: string, input: unknown, msg: string): HttpError {
  return new HttpError('invalid_request', [{ type: 'value_error', loc: ['header', name], msg, input }]);
}

const VARIABLE_PREFIX = 'x-langflow-global-var-';
const NO_VARIABLES: Readonly<Record<string, string>> = {};

/** Returns the variables in a request's headers (`X-LANGFLOW-GLOBAL-VAR-NAME: value`) by upper-case name. */
export function headerVariables(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  let variables: Record<string, string> | null = null;
  for (const name in headers) {
    if (!name.startsWith(VARIABLE_PREFIX)) continue;
    const value = headers[name];
    variables ??= {};
    variables[name.slice(VARIABLE_PREFIX.length).toUpperCase()] = headerText(
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    );
  }
  return variables ?? NO_VARIABLES;
}

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

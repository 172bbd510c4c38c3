// Reads the headers of requests that start runs.
import type { IncomingHttpHeaders } from 'node:http';
import { CALLBACK_URL_PATTERN, runCallbackKinds } from '@millrace/flow';
import type { CachePolicy } from '@millrace/messages';
import type { Callback, FlowSettings } from '@millrace/flow';
import { headerText, HttpError } from '@millrace/http';
import type { RequestedCachePolicy } from '../runs/run-order';

/** The supported preferences of the `Prefer` header (RFC 7240). */
export interface Preferences {
  /** `respond-async`: the caller accepts a 202 with the run id in place of the result. */
  readonly respondAsync: boolean;
  /** `wait`: the seconds for which the caller waits for the result before it gets the 202; 0 if absent. */
  readonly waitSeconds: number;
}

const WAIT_PREFERENCE = /^wait\s*=\s*"?(\d{1,9})"?$/;

/** Reads the `Prefer` header. Ignores unknown and malformed preferences, as RFC 7240 requires. */
export function readPreferences(header: string | string[] | undefined): Preferences {
  if (header === undefined) return { respondAsync: false, waitSeconds: 0 };
  const preferences = String(header)
    .split(',')
    .map((preference) => (preference.split(';', 1)[0] ?? '').trim().toLowerCase());
  const wait = preferences
    .map((preference) => WAIT_PREFERENCE.exec(preference)?.[1])
    .find((text) => text !== undefined);
  return { respondAsync: preferences.includes('respond-async'), waitSeconds: Number(wait ?? 0) };
}

const IDEMPOTENCY_KEY_PATTERN = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns the dedupe key of a request: the scope of the caller and the `Idempotency-Key` header. Requests with the same dedupe key
 * are one run. Returns null for a request without the header. Throws idempotency_key_invalid.
 */
export function dedupeKeyOf(headers: IncomingHttpHeaders, scope: string): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && IDEMPOTENCY_KEY_PATTERN.test(key)) return `${scope} ${key}`;
  const text = 'An Idempotency-Key must have 1 to 255 visible ASCII characters.';
  throw new HttpError('idempotency_key_invalid', text);
}

const MAXIMUM_DEADLINE_SECONDS = 1_000_000;

/**
 * Returns the seconds that the `X-Deadline-Seconds` header allows a run; null for a request without the header. Throws
 * invalid_request.
 */
export function requestedDeadlineSeconds(headers: IncomingHttpHeaders): number | null {
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
const CALLBACK_URL_EXPRESSION = new RegExp(CALLBACK_URL_PATTERN);

/**
 * Returns the callback that a request adds to its run (`X-Callback-Url`, `X-Callback-Secret`, `X-Callback-On`); null for
 * a request without these headers. Throws invalid_request.
 */
export function requestedCallback(headers: IncomingHttpHeaders): Callback | null {
  const url = headers['x-callback-url'];
  if (url === undefined) {
    const dependent = ['x-callback-secret', 'x-callback-on'].find((name) => headers[name] !== undefined);
    if (dependent === undefined) return null;
    throw invalidHeader(
      'x-callback-url',
      null,
      `Input is required with ${dependent}: without a URL, no report is sent`,
    );
  }
  if (
    typeof url !== 'string' ||
    url.length > MAXIMUM_CALLBACK_URL_LENGTH ||
    !CALLBACK_URL_EXPRESSION.test(url) ||
    !URL.canParse(url)
  )
    throw invalidHeader(
      'x-callback-url',
      url,
      'Input should be a valid http or https URL without user, password and fragment',
    );
  const secrets = commaSeparated(headers['x-callback-secret']);
  if (secrets.length === 0 || secrets.length > MAXIMUM_CALLBACK_SECRETS) {
    const msg = `Input should be the names of 1 to ${MAXIMUM_CALLBACK_SECRETS} variables that contain signing secrets`;
    throw invalidHeader('x-callback-secret', headers['x-callback-secret'] ?? null, msg);
  }
  const requestedKinds = commaSeparated(headers['x-callback-on']);
  const on = runCallbackKinds.filter((kind) => requestedKinds.includes(kind));
  if (on.length !== new Set(requestedKinds).size)
    throw invalidHeader(
      'x-callback-on',
      requestedKinds,
      `Input should be one or more of ${runCallbackKinds.join(', ')}`,
    );
  return { url, secrets, ...(on.length > 0 ? { on } : {}) };
}

/** Returns the values of a comma-separated header, without empty ones. */
function commaSeparated(header: string | string[] | undefined): readonly string[] {
  if (header === undefined) return [];
  return headerText(String(header))
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

function invalidHeader(name: string, input: unknown, msg: string): HttpError {
  return new HttpError('invalid_request', [{ type: 'value_error', loc: ['header', name], msg, input }]);
}

const VARIABLE_PREFIX = 'x-langflow-global-var-';
const NO_VARIABLES: Readonly<Record<string, string>> = {};

/** Returns the variables that request headers set (`X-LANGFLOW-GLOBAL-VAR-<NAME>: <value>`), by upper-case name. */
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

/** One day: the maximum of the cache setting of a flow as well. */
const MAXIMUM_TTL_SECONDS = 86_400;
const MAX_AGE_DIRECTIVE = /^max-age\s*=\s*"?(\d{1,9})"?$/;

/**
 * Returns the cache policy of a run, from the setting of its flow and the `Cache-Control` header of its request. The
 * setting turns the cache on for all runs of the flow. `max-age=N` turns it on for one run of any flow. If both are
 * given, the shorter time limits the age of a reused result. `no-cache` and `no-store` bypass the cache. The function
 * ignores unknown and malformed directives, as RFC 9111 requires.
 */
export function requestedCachePolicy(
  setting: FlowSettings['cache'],
  header: string | undefined,
): RequestedCachePolicy {
  if (header === undefined) return setting ? policyOfSetting(setting.ttlSeconds) : null;
  const directives = header.split(',').map((directive) => directive.trim().toLowerCase());
  if (directives.includes('no-cache') || directives.includes('no-store')) return 'bypass';
  const maxAge = directives
    .map((directive) => MAX_AGE_DIRECTIVE.exec(directive)?.[1])
    .find((age) => age !== undefined);
  const maximumAgeSeconds = maxAge === undefined ? undefined : Number(maxAge);
  if (setting) return policyOfSetting(setting.ttlSeconds, maximumAgeSeconds);
  if (maximumAgeSeconds === undefined || maximumAgeSeconds === 0) return null;
  const ttlSeconds = Math.min(maximumAgeSeconds, MAXIMUM_TTL_SECONDS);
  return { maximumAgeSeconds: ttlSeconds, ttlSeconds, byAuthor: false };
}

function policyOfSetting(ttlSeconds: number, maximumAgeSeconds = ttlSeconds): CachePolicy {
  return { maximumAgeSeconds: Math.min(maximumAgeSeconds, ttlSeconds), ttlSeconds, byAuthor: true };
}

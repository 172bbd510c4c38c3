const HIDDEN = '[hidden]';
const MAXIMUM_DEPTH = 6;
const MAXIMUM_ENTRIES = 100;
const MAXIMUM_TEXT_LENGTH = 8192;

const secretNames =
  /^(proxy-?)?authorization$|^(set-?)?cookies?$|api[-_]?keys?$|secrets?$|^password$|passphrase|^token$|[a-z][-_]?tokens?$|encryption[-_]?key/i;
/** Names that end in "token" or "tokens" but mean a model's counts or text, not secrets. */
const countNames = /^(max|prompt|completion|input|output|total|usage)[-_]?tokens?$/i;
const secretValues: readonly (readonly [RegExp, string])[] = [
  [/\bsk-[\w-]{8,}/g, `sk-${HIDDEN}`],
  [/\b(Bearer|Basic)\s+[\w+/.~=-]{8,}/gi, `$1 ${HIDDEN}`],
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{0,200}):[^\s/@]{1,500}@/gi, `$1:${HIDDEN}@`],
  [/([?&](?:x-)?api[-_]?key=)[^&\s"']{1,500}/gi, `$1${HIDDEN}`],
];

/** Every text with a secret contains one of these. Most texts contain none, and one test is faster than all. */
const mayHaveSecret = /sk-|bearer|basic|:\/\/|api[-_]?key/i;
/** Names of fields are few; a service that has logged more of them decides each anew. */
const MAXIMUM_KNOWN_NAMES = 1_000;
const knownNames = new Map<string, KnownName>();

interface KnownName {
  readonly isSecret: boolean;
  /** The start of its member in a JSON object, after another one. */
  readonly start: string;
}

/** Hides texts that look like a key, a bearer token or a password in a URL, and truncates very long text. */
export function redactText(text: string): string {
  let redacted = text;
  if (redacted.length > MAXIMUM_TEXT_LENGTH)
    redacted = `${redacted.slice(0, MAXIMUM_TEXT_LENGTH)}… (${text.length} characters)`;
  if (!mayHaveSecret.test(redacted)) return redacted;
  for (const [pattern, replacement] of secretValues) redacted = redacted.replace(pattern, replacement);
  return redacted;
}

/** Returns a text as JSON, with what `redactText` hides. */
export function quotedText(text: string): string {
  return JSON.stringify(redactText(text));
}

/**
 * Returns log fields as JSON members, each after a comma, without secrets: these are recognized by name (authorization,
 * cookies, keys, passwords, tokens) and by the look of the value. Limits depth and width, so that large objects cost
 * little and cycles end. A line of log is written for each request, so it takes one pass and copies only objects.
 */
export function redactedMembers(fields: object): string {
  if (fields instanceof Error) return redactedMembers({ error: fields });
  let members = '';
  let count = 0;
  for (const name of Object.keys(fields)) {
    count += 1;
    if (count > MAXIMUM_ENTRIES) break;
    const value = (fields as Record<string, unknown>)[name];
    if (value === undefined) continue;
    const { start, isSecret } = knownName(name);
    if (typeof value === 'string' && !isSecret) members += start + quotedText(value);
    else if (typeof value === 'number' && !isSecret && Number.isFinite(value)) members += start + value;
    else {
      const text = JSON.stringify(redactValue(name, value, 1)) as string | undefined;
      if (text !== undefined) members += start + text;
    }
  }
  return members;
}

function redactValue(name: string, value: unknown, depth: number): unknown {
  if (value !== undefined && value !== null && value !== '' && knownName(name).isSecret) return HIDDEN;
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value;
  if (value instanceof URL) return redactText(value.href);
  if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
  if (depth >= MAXIMUM_DEPTH) return '(deeper)';
  if (value instanceof Error) return redactError(value, depth);
  if (Array.isArray(value)) {
    const items = value.slice(0, MAXIMUM_ENTRIES).map((item) => redactValue('', item, depth + 1));
    return value.length > MAXIMUM_ENTRIES ? [...items, `(${value.length - MAXIMUM_ENTRIES} more)`] : items;
  }
  return redactEntries(value, depth);
}

function redactEntries(fields: object, depth: number): Record<string, unknown> {
  const redacted: Record<string, unknown> = {};
  let count = 0;
  for (const [name, value] of Object.entries(fields)) {
    count += 1;
    if (count > MAXIMUM_ENTRIES) break;
    redacted[name] = redactValue(name, value, depth + 1);
  }
  return redacted;
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  const { cause, ...fields } = error as Error & { cause?: unknown };
  return {
    ...redactEntries(fields, depth),
    type: error.name === 'Error' ? error.constructor.name : error.name,
    message: redactText(error.message),
    ...(error.stack === undefined ? {} : { stack: redactText(error.stack) }),
    ...(cause === undefined ? {} : { cause: redactValue('cause', cause, depth + 1) }),
  };
}

function knownName(name: string): KnownName {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const isSecret = secretNames.test(name) && !countNames.test(name);
  const decided = { isSecret, start: `,${JSON.stringify(name)}:` };
  if (knownNames.size < MAXIMUM_KNOWN_NAMES) knownNames.set(name, decided);
  return decided;
}

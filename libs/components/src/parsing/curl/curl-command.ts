// No library: `curlconverter` needs a grammar parser that is compiled or loaded as WebAssembly, and its result is source code.
import { ComponentError } from '@millrace/flow';
import { shellWords } from './shell-words';

/** The request of a curl command line. */
export interface CurlRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it is sent; null for none. */
  readonly body: string | null;
  readonly followRedirects: boolean;
}

interface Reading {
  url: string | null;
  method: string | null;
  readonly headers: Map<string, string>;
  readonly data: string[];
  isGet: boolean;
  followRedirects: boolean;
}

type Option = (reading: Reading, value: string) => void;

/** Options with a value that change the request. */
const options: ReadonlyMap<string, Option> = new Map<string, Option>([
  ['--request', (reading, value) => void (reading.method = value.toUpperCase())],
  ['--url', (reading, value) => void (reading.url = value)],
  ['--header', setHeader],
  [
    '--user',
    (reading, value) => put(reading, 'Authorization', `Basic ${Buffer.from(value).toString('base64')}`),
  ],
  ['--oauth2-bearer', (reading, value) => put(reading, 'Authorization', `Bearer ${value}`)],
  ['--user-agent', (reading, value) => put(reading, 'User-Agent', value)],
  ['--referer', (reading, value) => put(reading, 'Referer', value)],
  ['--cookie', (reading, value) => put(reading, 'Cookie', value)],
  ['--data', addData],
  ['--data-ascii', addData],
  ['--data-binary', addData],
  ['--data-raw', ({ data }, value) => void data.push(value)],
  ['--data-urlencode', addEncoded],
  ['--json', addJson],
]);

/** Options with a value that do not change the request. */
const withValue: ReadonlySet<string> = new Set([
  '--output',
  '--max-time',
  '--connect-timeout',
  '--retry',
  '--retry-delay',
  '--retry-max-time',
  '--write-out',
  '--max-redirs',
  '--limit-rate',
  '--cookie-jar',
  '--dump-header',
  '--stderr',
  '--trace',
  '--trace-ascii',
  '--interface',
  '--ciphers',
  '--tls-max',
  '--keepalive-time',
  '--speed-limit',
  '--speed-time',
]);

const refused: ReadonlySet<string> = new Set([
  '--form',
  '--form-string',
  '--upload-file',
  '--proxy',
  '--cert',
  '--key',
  '--config',
  '--resolve',
  '--connect-to',
  '--unix-socket',
  '--cacert',
  '--preproxy',
  '--socks5',
]);

const longNames: Readonly<Record<string, string>> = {
  X: '--request',
  H: '--header',
  u: '--user',
  A: '--user-agent',
  e: '--referer',
  b: '--cookie',
  d: '--data',
  o: '--output',
  m: '--max-time',
  w: '--write-out',
  c: '--cookie-jar',
  D: '--dump-header',
  F: '--form',
  T: '--upload-file',
  x: '--proxy',
  E: '--cert',
  K: '--config',
  G: '--get',
  I: '--head',
  L: '--location',
};

/**
 * Parses a curl command line. Throws a ComponentError for an invalid command, and for options that use files or
 * proxies.
 */
export function parseCurl(command: string): CurlRequest {
  const [first, ...words] = shellWords(command.trim());
  if (first !== 'curl') throw failed('the command does not begin with "curl"');
  const reading: Reading = {
    url: null,
    method: null,
    headers: new Map(),
    data: [],
    isGet: false,
    followRedirects: false,
  };
  const waiting = words.values();
  const next = (): string | undefined => waiting.next().value;
  for (const word of waiting) {
    if (!word.startsWith('-') || word === '-') reading.url ??= word;
    else readOption(reading, word, next);
  }
  return requestOf(reading);
}

function readOption(reading: Reading, word: string, next: () => string | undefined): void {
  if (word.startsWith('--')) return apply(reading, word, next);
  // Short options can be combined; the value of the last one can follow without a space.
  for (let index = 1; index < word.length; index += 1) {
    const letter = word[index] ?? '';
    const name = longNames[letter] ?? `-${letter}`;
    if (!takesValue(name)) apply(reading, name, () => undefined);
    else {
      const rest = word.slice(index + 1);
      return apply(reading, name, () => (rest === '' ? next() : rest));
    }
  }
}

function takesValue(name: string): boolean {
  return options.has(name) || withValue.has(name) || refused.has(name);
}

function apply(reading: Reading, name: string, next: () => string | undefined): void {
  if (refused.has(name)) throw failed(`the option ${name} is not supported`);
  if (name === '--get') reading.isGet = true;
  if (name === '--head') reading.method = 'HEAD';
  if (name === '--location') reading.followRedirects = true;
  if (!takesValue(name)) return;
  const value = next();
  if (value === undefined) throw failed(`the option ${name} has no value`);
  options.get(name)?.(reading, value);
}

function requestOf({ url, method, headers, data, isGet, followRedirects }: Reading): CurlRequest {
  if (url === null) throw failed('the command has no URL');
  const body = data.length === 0 ? null : data.join('&');
  if (isGet && body !== null) {
    const separator = url.includes('?') ? '&' : '?';
    return {
      url: url + separator + body,
      method: method ?? 'GET',
      headers: plain(headers),
      body: null,
      followRedirects,
    };
  }
  if (body !== null && !headers.has('content-type'))
    headers.set('content-type', 'application/x-www-form-urlencoded');
  return {
    url,
    method: method ?? (body === null ? 'GET' : 'POST'),
    headers: plain(headers),
    body,
    followRedirects,
  };
}

function plain(headers: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries(headers);
}

function put({ headers }: Reading, name: string, value: string): void {
  headers.set(name.toLowerCase(), value);
}

function setHeader(reading: Reading, line: string): void {
  const colon = line.indexOf(':');
  // "Name;" requests an empty header, "Name:" none.
  if (colon === -1 && line.endsWith(';')) put(reading, line.slice(0, -1), '');
  else if (colon > 0 && line.slice(colon + 1).trim() !== '')
    put(reading, line.slice(0, colon).trim(), line.slice(colon + 1).trim());
}

function addData({ data }: Reading, value: string): void {
  if (value.startsWith('@')) throw failed('data from a file is not supported');
  data.push(value);
}

function addEncoded({ data }: Reading, value: string): void {
  const equals = value.indexOf('=');
  if (equals === -1 && value.includes('@')) throw failed('data from a file is not supported');
  const name = equals > 0 ? `${value.slice(0, equals)}=` : '';
  data.push(name + encodeURIComponent(equals === -1 ? value : value.slice(equals + 1)));
}

function addJson(reading: Reading, value: string): void {
  addData(reading, value);
  if (!reading.headers.has('content-type')) put(reading, 'Content-Type', 'application/json');
  if (!reading.headers.has('accept')) put(reading, 'Accept', 'application/json');
}

function failed(reason: string): ComponentError {
  return new ComponentError(`Error parsing curl: ${reason}`);
}

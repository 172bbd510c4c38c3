import type { Schemas } from './calls.generated';
import { errorBodyText } from './error-text';
import { MillraceError } from './millrace-error';
import { reasonOf } from './reason-of';

const DEADLINE_MILLISECONDS = 60_000;
const JWT = /^ey[\w-]*\.[\w-]+\.[\w-]+$/;
const UNAVAILABLE = new Set([408, 429, 502, 503, 504]);

type Calls = Schemas['Calls'];

/** A method with the template of a path: `GET /api/v1/runs/{run_id}`. */
export type CallName = keyof Calls;
/** The JSON answer of a call. */
export type Answer<Name extends CallName> = Calls[Name]['answer'];

export interface ClientOptions {
  /** Address of the server, with or without a path. */
  readonly url: string;
  /** An API key, or a token of an issuer of the installation; a function is asked before each request. */
  readonly key: string | (() => Promise<string>);
  /** Ends all requests when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** The value of `User-Agent`. */
  readonly userAgent?: string | undefined;
}

interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Limit of the whole exchange; a minute unless given. */
  readonly deadlineMilliseconds?: number | undefined;
}

export interface PathRequest extends RequestOptions {
  /** GET unless given. */
  readonly method?: string | undefined;
  /** JSON, or a form. */
  readonly body?: unknown;
  /** Parameters; undefined ones are left out. */
  readonly query?: Readonly<Record<string, unknown>> | undefined;
}

/** What a call takes: the parameters of its path and its query, its body. */
export type CallRequest<Name extends CallName> = RequestOptions &
  OrUndefined<Omit<Calls[Name], 'answer' | 'query'>> &
  PathOf<Name> &
  ('query' extends keyof Calls[Name] ? QueryOf<Calls[Name]> : { readonly query?: undefined });

type PathNames<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PathNames<Rest> : never;
type PathOf<Name> = [PathNames<Name>] extends [never]
  ? { readonly path?: undefined }
  : { readonly path: Readonly<Record<PathNames<Name>, string>> };
type OrUndefined<Values> = {
  readonly [Name in keyof Values]: Values[Name] | (object extends Pick<Values, Name> ? undefined : never);
};
type QueryOf<Call> = Call extends { readonly query: infer Query }
  ? { readonly query: OrUndefined<Query> }
  : Call extends { readonly query?: infer Query }
    ? { readonly query?: OrUndefined<NonNullable<Query>> | undefined }
    : never;
/** The request can be left out where it has no member that is required. */
type CallArguments<Name extends CallName> =
  object extends CallRequest<Name> ? [request?: CallRequest<Name>] : [request: CallRequest<Name>];

/** The HTTP interface of a server. Rejects with MillraceError, whose message never contains the key. */
export class MillraceClient {
  readonly url: string;
  readonly #key: string | (() => Promise<string>);
  readonly #signal: AbortSignal | undefined;
  readonly #userAgent: string;

  /** Throws MillraceError when the address or the key cannot be one. */
  constructor({ url, key, signal, userAgent = 'millrace-client' }: ClientOptions) {
    const { protocol = '', username, password, search, hash } = URL.parse(url) ?? {};
    if (!/^https?:$/.test(protocol) || username || password || search || hash)
      throw new MillraceError(
        'refused',
        'The URL of a server is such as http://127.0.0.1:7860, without a password, a query and a fragment.',
      );
    this.url = url.replace(/\/+$/, '');
    this.#key = typeof key === 'string' ? sendable(key) : key;
    this.#signal = signal;
    this.#userAgent = userAgent;
  }

  /** Resolves to the JSON answer of a call; to null when it has no body. */
  async call<Name extends CallName>(name: Name, ...given: CallArguments<Name>): Promise<Answer<Name>> {
    const { path, request } = located(name, given[0]);
    return this.json<Answer<Name>>(path, request);
  }

  /** Resolves to the answer of a call, whatever its status is: for streams and files. */
  async respond<Name extends CallName>(name: Name, ...given: CallArguments<Name>): Promise<Response> {
    const { path, request } = located(name, given[0]);
    return this.send(path, request);
  }

  /** Resolves to the JSON of any path; to null when the answer has no body. */
  async json<T>(path: string, request: PathRequest = {}): Promise<T> {
    const response = await this.answer(path, request);
    try {
      const text = await response.text();
      return (text === '' ? null : JSON.parse(text)) as T;
    } catch (cause) {
      const reason = this.#signal?.aborted === true ? 'interrupted' : 'unavailable';
      throw new MillraceError(reason, `${this.url}${path} did not answer with JSON: ${reasonOf(cause)}`, {
        status: response.status,
        cause,
      });
    }
  }

  /** Resolves to an answer with a status below 300. */
  async answer(path: string, request: PathRequest = {}): Promise<Response> {
    const response = await this.send(path, request);
    if (response.status < 300) return response;
    throw refusalOf(response, await response.text().catch(() => ''));
  }

  /** Resolves to the answer, whatever its status is. */
  async send(path: string, request: PathRequest = {}): Promise<Response> {
    const { method = 'GET', body, query = {}, headers = {} } = request;
    const url = new URL(this.url + path);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
    const isForm = body instanceof FormData;
    const text = body === undefined || isForm ? null : JSON.stringify(body);
    const deadline = AbortSignal.timeout(request.deadlineMilliseconds ?? DEADLINE_MILLISECONDS);
    const key = typeof this.#key === 'string' ? this.#key : sendable(await this.#key());
    try {
      return await fetch(url, {
        method,
        headers: {
          ...(JWT.test(key) ? { authorization: `Bearer ${key}` } : { 'x-api-key': key }),
          'user-agent': this.#userAgent,
          ...(text === null ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: isForm ? body : text,
        // A redirect could lead the key to another server.
        redirect: 'manual',
        signal: this.#signal === undefined ? deadline : AbortSignal.any([deadline, this.#signal]),
      });
    } catch (cause) {
      if (this.#signal?.aborted === true) throw new MillraceError('interrupted', 'Interrupted.', { cause });
      throw new MillraceError('unavailable', `${this.url} does not answer: ${reasonOf(cause)}`, { cause });
    }
  }
}

/** Returns a key without the line break at its end. Throws MillraceError when no header can have it. */
function sendable(key: string): string {
  const trimmed = key.trim();
  // An error of fetch would have the key in its message.
  if (/^[\x20-\x7e\xa0-\xff]*$/.test(trimmed)) return trimmed;
  throw new MillraceError('refused', 'The API key has a character that no header can have.');
}

/** Returns the error of an answer with this body. */
export function refusalOf({ status, headers, url }: Response, body: string): MillraceError {
  const reason = errorBodyText(body);
  const seconds = headers.get('retry-after') ?? '';
  return new MillraceError(
    UNAVAILABLE.has(status) ? 'unavailable' : 'refused',
    `${url.replace(/\?.*/, '')} answered ${status}${reason === '' ? '' : `: ${reason}`}`,
    {
      status,
      code: headers.get('x-error-code'),
      // It can also be a date.
      retryAfterSeconds: /^\d+$/.test(seconds) ? Number(seconds) : null,
    },
  );
}

interface AnyRequest extends PathRequest {
  readonly path?: Readonly<Record<string, unknown>> | undefined;
}

/** Returns the path of a call with its parameters, and the rest of the request. */
function located(name: string, given: AnyRequest = {}) {
  const { path: values = {}, ...rest } = given;
  const [method = '', template = ''] = name.split(' ');
  const path = template.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
    const value = String(values[parameter] ?? '');
    // With these, the path would be that of another call.
    if (['', '.', '..'].includes(value))
      throw new MillraceError('refused', `${name}: "${value}" is no value of ${parameter}`);
    return encodeURIComponent(value);
  });
  return { path, request: { ...rest, method } };
}

import { version } from '@millrace/service';
import { CliError } from '../cli-error';
import type { Profile } from '../profiles/profile-store';
import { errorBodyText } from './error-text';
import { reasonOf } from './reason-of';

const DEADLINE_MILLISECONDS = 60_000;
const UNAVAILABLE = new Set([408, 429, 502, 503, 504]);

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly body?: unknown;
  /** Parameters; undefined ones are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Limit of the whole exchange; a minute unless given. */
  readonly deadlineMilliseconds?: number;
}

/** The HTTP interface of a server. Rejects with CliError, whose sentence never contains the key. */
export class ApiClient {
  readonly url: string;
  readonly #key: string;
  readonly #signal: AbortSignal;

  constructor({ url, key }: Profile, signal: AbortSignal) {
    this.url = url;
    this.#key = key;
    this.#signal = signal;
  }

  /** Resolves to the JSON of the answer; to null when it has no body. */
  async json<T>(path: string, request: ApiRequest = {}): Promise<T> {
    const response = await this.answer(path, request);
    try {
      const text = await response.text();
      return (text === '' ? null : JSON.parse(text)) as T;
    } catch (error) {
      throw new CliError(
        'unavailable',
        `${this.url}${path} did not answer with JSON: ${reasonOf(error)}`,
        error,
      );
    }
  }

  /** Resolves to an answer with a status below 300. */
  async answer(path: string, request: ApiRequest = {}): Promise<Response> {
    const response = await this.send(path, request);
    if (response.status < 300) return response;
    const reason = errorBodyText(await response.text().catch(() => ''));
    const sentence = `${this.url}${path} answered ${response.status}${reason === '' ? '' : `: ${reason}`}`;
    throw new CliError(UNAVAILABLE.has(response.status) ? 'unavailable' : 'refused', sentence);
  }

  /** Resolves to the answer, whatever its status is. */
  async send(path: string, request: ApiRequest = {}): Promise<Response> {
    const { method = 'GET', body, query = {}, headers = {} } = request;
    const url = new URL(this.url + path);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const deadline = AbortSignal.timeout(request.deadlineMilliseconds ?? DEADLINE_MILLISECONDS);
    try {
      return await fetch(url, {
        method,
        headers: {
          'x-api-key': this.#key,
          'user-agent': `millrace-cli/${version}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
        // A redirect could lead the key to another server.
        redirect: 'manual',
        signal: AbortSignal.any([deadline, this.#signal]),
      });
    } catch (error) {
      if (this.#signal.aborted) throw new CliError('interrupted', 'Interrupted.', error);
      throw new CliError('unavailable', `${this.url} does not answer: ${reasonOf(error)}`, error);
    }
  }
}

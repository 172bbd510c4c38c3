/** A request to an external server. */
export interface HttpCall {
  /** The name of the server in errors, such as "Tavily". */
  readonly service: string;
  readonly url: URL;
  /** GET by default. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Returns further headers for one try, such as a signature with the time. */
  readonly headersOfTry?: () => Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The time limit of one try; 60 seconds by default, and never more than the remaining time of the run. */
  readonly timeoutMilliseconds?: number;
  /** The limit of the decompressed body of the answer; 10 MiB by default. */
  readonly maximumBytes?: number;
  /** `follow` by default: a few redirects are followed and each one is checked. */
  readonly redirect?: 'follow' | 'manual';
  /** Whether making the call twice does no harm; by default true for GET and HEAD. */
  readonly repeatable?: boolean;
  /** The maximum number of retries; 2 by default. */
  readonly maximumRetries?: number;
}

/** The answer of a server, whatever its status. */
export interface HttpAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  /** Names of headers in lower case, in the order of arrival; absent where the `fetch` of the run does not tell it. */
  readonly headerNames?: readonly string[];
  /** The final URL after redirects. */
  readonly url: string;
  readonly body: Buffer;
}

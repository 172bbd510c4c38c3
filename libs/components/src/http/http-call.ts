/** A request to a server outside. */
export interface HttpCall {
  /** What errors call the server, such as "Tavily". */
  readonly service: string;
  readonly url: URL;
  /** GET unless given. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** For one attempt; 60 seconds unless given, and never more than the run has left. */
  readonly timeoutMilliseconds?: number;
  /** Of the answer's body, decompressed; 10 MiB unless given. */
  readonly maximumBytes?: number;
  /** Redirects are followed (a few, each one checked) unless this says otherwise. */
  readonly redirect?: 'follow' | 'manual';
  /** Making the call twice does no harm; GET and HEAD are repeatable unless this says otherwise. */
  readonly repeatable?: boolean;
  /** How often it is made again at most; twice unless given. */
  readonly maximumRetries?: number;
}

/** What a server answered, whatever its status. */
export interface HttpAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  /** Where the answer came from, after redirects. */
  readonly url: string;
  readonly body: Buffer;
}

import type { ApiKey } from './api-key';
import type { ClientExceptions } from './client-exceptions';

/** The address and the settings for calls of a provider's models. */
export interface ModelEndpoint {
  /** The provider's display name. */
  readonly provider: string;
  /** The base of all paths, such as `/chat/completions`. */
  readonly baseUrl: string;
  readonly apiKey: ApiKey;
  /** The header with the key, when it is not the usual one. */
  readonly keyHeader: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Added to the query of every call. */
  readonly query: Readonly<Record<string, string>>;
  /** Number of retries after a transient failure. */
  readonly maximumRetries: number;
  /** The limit of one try; the deadline of the run applies as well. */
  readonly timeoutMilliseconds: number;
  /** What the failures of its calls are in Langflow; errors of values unless given. */
  readonly exceptions?: ClientExceptions;
}

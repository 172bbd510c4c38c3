import { postgresPlace, redisPlace, tlsFailure } from '@millrace/service';

export interface NamedServer {
  readonly title: string;
  /** Prefix of its settings, such as DATABASE in DATABASE_URL. */
  readonly prefix: string;
  /** The setting with its URL; by default the prefix with _URL. */
  readonly setting?: string;
  /** URLs of several nodes are comma separated. Undefined for an embedded implementation. */
  readonly url: string | undefined;
}

/** A configured server does not respond, or refuses the connection; the cause contains the reason. */
export class UnusableServerError extends Error {
  readonly code = 'server_unusable';

  constructor({ title, prefix, setting = `${prefix}_URL`, url }: NamedServer, cause: unknown) {
    const problem = tlsFailure(cause, prefix, url?.startsWith('amqps:') ?? false);
    const reason = problem === undefined ? '' : `: ${problem}`;
    super(`${title} at ${hostsOf(url ?? '')} (${setting}) cannot be used${reason}`, { cause });
    this.name = 'UnusableServerError';
  }
}

/** Returns only hosts and ports: the rest of a URL contains credentials. */
function hostsOf(urls: string): string {
  if (urls.startsWith('postgres')) return postgresPlace(urls).replace(/\/.*$/su, '');
  if (urls.startsWith('redis')) return redisPlace(urls);
  const hosts = urls
    .split(',')
    .map((url) => (URL.canParse(url) ? new URL(url).host : 'an unreadable address'));
  return hosts.join(', ');
}

/** Performs an action with a server; an error names the server and its setting. */
export async function withServer<T>(server: NamedServer, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw server.url === undefined ? error : new UnusableServerError(server, error);
  }
}

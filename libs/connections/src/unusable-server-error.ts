import { tlsFailure } from '@millrace/service';

export interface NamedServer {
  readonly title: string;
  /** Begins the names of its settings, such as DATABASE of DATABASE_URL. */
  readonly prefix: string;
  /** The setting that names it, unless that is the prefix with _URL. */
  readonly setting?: string;
  /** Those of several nodes are comma separated. Undefined for an embedded part. */
  readonly url: string | undefined;
}

/** A server that the settings name does not answer, or answers that it cannot serve; the cause says which. */
export class UnusableServerError extends Error {
  readonly code = 'server_unusable';

  constructor({ title, prefix, setting = `${prefix}_URL`, url }: NamedServer, cause: unknown) {
    const problem = tlsFailure(cause, prefix, url?.startsWith('amqps:') ?? false);
    const reason = problem === undefined ? '' : `: ${problem}`;
    super(`${title} at ${hostsOf(url ?? '')} (${setting}) cannot be used${reason}`, { cause });
    this.name = 'UnusableServerError';
  }
}

/** Hosts and ports alone: the rest of a URL holds credentials. */
function hostsOf(urls: string): string {
  const hosts = urls
    .split(',')
    .map((url) => (URL.canParse(url) ? new URL(url).host : 'an unreadable address'));
  return hosts.join(', ');
}

/** Does something with a server; what fails names the server and its setting. */
export async function using<T>(server: NamedServer, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw server.url === undefined ? error : new UnusableServerError(server, error);
  }
}

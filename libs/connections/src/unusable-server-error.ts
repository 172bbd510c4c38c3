import { tlsFailure } from '@millrace/service';

export interface NamedServer {
  readonly title: string;
  /** Begins the names of its settings, such as DATABASE of DATABASE_URL. */
  readonly prefix: string;
  /** The setting that names it, unless that is the prefix with _URL. */
  readonly setting?: string;
  /** Undefined for an embedded part. */
  readonly url: string | undefined;
}

/** A server that the settings name does not answer, or answers that it cannot serve; the cause says which. */
export class UnusableServerError extends Error {
  readonly code = 'server_unusable';

  constructor({ title, prefix, setting = `${prefix}_URL`, url }: NamedServer, cause: unknown) {
    const host = url !== undefined && URL.canParse(url) ? new URL(url).host : 'an unreadable address';
    const problem = tlsFailure(cause, prefix, url?.startsWith('amqps:') ?? false);
    const reason = problem === undefined ? '' : `: ${problem}`;
    super(`${title} at ${host} (${setting}) cannot be used${reason}`, { cause });
    this.name = 'UnusableServerError';
  }
}

/** Does something with a server; what fails names the server and its setting. */
export async function using<T>(server: NamedServer, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw server.url === undefined ? error : new UnusableServerError(server, error);
  }
}

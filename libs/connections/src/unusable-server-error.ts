export interface NamedServer {
  readonly title: string;
  /** The setting that names it. */
  readonly setting: string;
  /** Undefined for an embedded part. */
  readonly url: string | undefined;
}

/** A server that the settings name does not answer, or answers that it cannot serve; the cause says which. */
export class UnusableServerError extends Error {
  readonly code = 'server_unusable';

  constructor({ title, setting, url }: NamedServer, cause: unknown) {
    const host = url !== undefined && URL.canParse(url) ? new URL(url).host : 'an unreadable address';
    super(`${title} at ${host} (${setting}) cannot be used`, { cause });
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

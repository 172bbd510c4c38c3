/** The secrets of one user by name; null for one that is no text. */
export type Secrets = ReadonlyMap<string, string | null>;

/** Reads the secrets of a user where they are kept outside of Millrace. Rejects when it cannot. */
export interface SecretSource {
  read(userId: string): Promise<Secrets>;
  close(): Promise<void>;
}

/** The store of secrets did not answer in time, or refused a request, or has no text of this name. */
export class SecretStoreUnavailableError extends Error {
  readonly code = 'secret_store_unavailable';
  /** A run that fails with it is tried again. */
  readonly permanent = false;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'SecretStoreUnavailableError';
  }
}

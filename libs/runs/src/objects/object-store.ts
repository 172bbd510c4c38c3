/** The object store did not answer in time, refused a request, or is not configured although a row names an object. */
export class ObjectStoreUnavailableError extends Error {
  readonly code = 'object_store_unavailable';
  /** A run that fails with it is tried again. */
  readonly permanent = false;
  /** Whether the same request would be refused again at once. */
  readonly isFinal: boolean;

  constructor(message: string, options: { readonly cause?: unknown; readonly isFinal?: boolean } = {}) {
    super(message, { cause: options.cause });
    this.name = 'ObjectStoreUnavailableError';
    this.isFinal = options.isFinal ?? false;
  }
}

export interface StoredObject {
  readonly key: string;
  /** By the clock of the store. */
  readonly modifiedAt: Date;
}

export interface ObjectPage {
  readonly objects: readonly StoredObject[];
  /** Continues the list; null after the last page. */
  readonly next: string | null;
}

/**
 * Keeps large contents under keys, outside of the database. Objects are written once and never changed. Each request has a
 * deadline and a limit of retries; calls reject with ObjectStoreUnavailableError.
 */
export interface ObjectStore {
  /** Bucket and address, without credentials. */
  readonly title: string;
  /**
   * Stores an object while its bytes arrive, with one part in memory. Resolves to their number. Rejects also with what
   * `content` throws; there is no object then.
   */
  upload(key: string, content: AsyncIterable<Buffer>): Promise<number>;
  /** Returns up to `length` bytes from a position that the object has; null when there is no such object. */
  read(key: string, from: number, length: number): Promise<Buffer | null>;
  /** Deletes an object; also resolves when there is none. */
  delete(key: string): Promise<void>;
  /** Lists up to 1,000 objects whose keys begin with the prefix. */
  list(prefix: string, next: string | null): Promise<ObjectPage>;
  /** Discards uploads under a prefix that began before this time and were never completed; up to 1,000, whose number it returns. */
  discardUploads(prefix: string, before: Date): Promise<number>;
  /** Closes the connections. Twice is fine. */
  close(): Promise<void>;
}

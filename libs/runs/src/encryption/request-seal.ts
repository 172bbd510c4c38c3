import type { SealedRequest } from '@millrace/messages';
import type { RunRequest } from '@millrace/flow';
import type { Logger } from '@millrace/service';
import { EncryptionError } from './encryption';
import type { Encryption } from './encryption';
import { parsedObject } from '../parsed-object';

/** How the text of a sealed request begins; `"}` ends it. */
export const SEALED_BEGIN = '{"sealed":"';

export interface RequestSealOptions {
  /** Null: nothing is sealed, and sealed requests cannot be read. */
  readonly encryption: Encryption | null;
  readonly logger?: Pick<Logger, 'error'>;
}

/**
 * Serializes requests for storage and messages: JSON, sealed when they contain variables or tweaks, in which callers
 * put keys. Other requests stay readable: sealing requests without secrets would add a cost to every run.
 */
export class RequestSeal {
  readonly #options: RequestSealOptions;

  constructor(options: RequestSealOptions) {
    this.#options = options;
  }

  write(request: RunRequest): string {
    const { encryption } = this.#options;
    const text = JSON.stringify(request);
    return encryption !== null && mayHoldSecrets(request)
      ? JSON.stringify({ sealed: encryption.encrypt(text) } satisfies SealedRequest)
      : text;
  }

  /** Seals any text, which a run keeps while it waits for a person. */
  writeText(text: string): string {
    const { encryption } = this.#options;
    return encryption === null
      ? text
      : JSON.stringify({ sealed: encryption.encrypt(text) } satisfies SealedRequest);
  }

  /** Returns the text that was written. Throws when it was sealed with a key that is not configured. */
  readText(text: string): string {
    if (!text.startsWith(SEALED_BEGIN)) return text;
    const { encryption } = this.#options;
    if (encryption === null)
      throw new EncryptionError('A text was sealed with a key that is not configured.');
    return encryption.decrypt((JSON.parse(text) as SealedRequest).sealed);
  }

  /** As `readText`; null, with a line in the log, where that throws. */
  tryReadText(text: string): string | null {
    try {
      return this.readText(text);
    } catch (error) {
      this.#options.logger?.error({ error }, 'could not decrypt a sealed text');
      return null;
    }
  }

  /**
   * Returns the request that was written; null when it was sealed with a key that is not configured, or cannot be read: the
   * runs beside it must not fail.
   */
  read(text: string): RunRequest | null {
    const request = parsedObject(text);
    if (request !== null) return this.open(request as RunRequest | SealedRequest);
    this.#options.logger?.error({}, 'could not read a stored request');
    return null;
  }

  /** As `read`, for parsed JSON. */
  open(request: RunRequest | SealedRequest): RunRequest | null {
    if (!('sealed' in request)) return request;
    const { encryption, logger } = this.#options;
    try {
      return encryption === null ? null : (JSON.parse(encryption.decrypt(request.sealed)) as RunRequest);
    } catch (error) {
      logger?.error({ error }, 'could not decrypt a sealed request');
      return null;
    }
  }
}

function mayHoldSecrets({ globalVariables, tweaks }: RunRequest): boolean {
  // Faster than `for…in` on objects with many members, which also looks up their prototypes.
  return Object.keys(globalVariables).length > 0 || Object.keys(tweaks).length > 0;
}

import type { SealedRequest } from '@millrace/contracts';
import type { RunRequest } from '@millrace/flow';
import type { Logger } from '@millrace/service';
import type { Encryption } from '../variables/encryption';

export interface RequestSealOptions {
  /** Null: nothing is sealed, and nothing that is sealed can be read. */
  readonly encryption: Encryption | null;
  readonly logger?: Pick<Logger, 'error'>;
}

/**
 * Requests as they are kept and sent: JSON, sealed when they bring variables or tweaks, in which callers put keys.
 * Others stay readable: sealing what holds no secret would cost every run.
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

  /** The request that was written; null when it was sealed with a key that is not configured. */
  read(text: string): RunRequest | null {
    return this.open(JSON.parse(text) as RunRequest | SealedRequest);
  }

  /** As `read`, of what was parsed before. */
  open(request: RunRequest | SealedRequest): RunRequest | null {
    if (!('sealed' in request)) return request;
    const { encryption, logger } = this.#options;
    try {
      return encryption === null ? null : (JSON.parse(encryption.decrypt(request.sealed)) as RunRequest);
    } catch (error) {
      logger?.error({ error }, 'a sealed request could not be opened');
      return null;
    }
  }
}

function mayHoldSecrets({ globalVariables, tweaks }: RunRequest): boolean {
  // Faster than `for…in` on objects of many members, which looks up the prototypes of each.
  return Object.keys(globalVariables).length > 0 || Object.keys(tweaks).length > 0;
}

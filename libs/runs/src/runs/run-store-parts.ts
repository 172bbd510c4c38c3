import type { Database } from '@millrace/database';
import type { RequestSeal } from '../encryption/request-seal';

/** Dependencies of the statements about runs. */
export interface RunStoreParts {
  readonly database: Database;
  readonly seal: RequestSeal;
  /** Whether executors give every last attempt a process of its own. */
  readonly isolatesLastAttempts: boolean;
}

export interface RunStoreDependencies {
  readonly database: Database;
  /** Seals requests that can contain secrets; nothing is sealed unless given. */
  readonly seal?: RequestSeal;
  /** See RunStoreParts; false unless given. */
  readonly isolatesLastAttempts?: boolean;
}

import type { Database } from '@millrace/database';
import type { RequestSeal } from './request-seal';

/** Dependencies of the statements about runs. */
export interface RunStoreParts {
  readonly database: Database;
  readonly seal: RequestSeal;
  /** Whether executors give every last attempt a process of its own. */
  readonly isolatesLastAttempts: boolean;
}

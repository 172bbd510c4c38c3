import type { Database } from '@millrace/database';
import type { RequestSeal } from './request-seal';

/** What statements about runs and their requests work with. */
export interface RunStoreParts {
  readonly database: Database;
  readonly seal: RequestSeal;
}

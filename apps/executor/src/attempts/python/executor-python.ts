import type { InstalledEnvironment, PythonPool } from '@millrace/python';
import type { ApprovedCode, AuthorCodeStore } from '@millrace/runs';

/** The Python of an executor. */
export interface ExecutorPython {
  readonly environment: InstalledEnvironment;
  readonly pool: PythonPool;
  /** Decides which texts run. */
  readonly approvedCode: Pick<ApprovedCode, 'missing' | 'forget'>;
  /** Records texts that wait for a decision. */
  readonly authorCode: Pick<AuthorCodeStore, 'submit'>;
}

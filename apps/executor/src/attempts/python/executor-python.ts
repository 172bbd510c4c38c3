import type { PythonEnvironment } from '@millrace/flow';
import type { PythonPool } from '@millrace/python';
import type { AuthorCodeStore } from '@millrace/runs';

/** The Python of an executor. */
export interface ExecutorPython {
  readonly environment: PythonEnvironment;
  readonly pool: PythonPool;
  /** Decides which texts run. */
  readonly approvedCode: { missing(hashes: readonly string[]): Promise<readonly string[]> };
  /** Records texts that wait for a decision. */
  readonly authorCode: Pick<AuthorCodeStore, 'submit'>;
  /** Ends all processes. Idempotent. */
  close(): Promise<void>;
}

import type { AnnouncedPython } from '@millrace/dispatch';
import type { PythonPool } from '@millrace/python';
import type { ApprovedCode, AuthorCodeStore } from '@millrace/runs';

/** What an attempt needs of Python. */
export interface AttemptPythonParts {
  /** Resolves to the pool; in a process of one attempt, it starts with the first call. */
  openPool(): Promise<PythonPool>;
  /** Decides which texts run. */
  readonly approvedCode: Pick<ApprovedCode, 'missing' | 'forget'>;
  /** Records texts that wait for a decision. */
  readonly authorCode: Pick<AuthorCodeStore, 'submit'>;
}

/** The Python of an executor. */
export interface ExecutorPython extends AttemptPythonParts {
  readonly pool: PythonPool;
  /** Returns what gateways read about it; null while no process has started. */
  announced(): AnnouncedPython | null;
}

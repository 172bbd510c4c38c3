import type { AnnouncedPython } from '@millrace/dispatch';
import type { PythonPool } from '@millrace/python';
import type { ApprovedCode, AuthorCodeStore } from '@millrace/runs';

/** The Python of an executor. */
export interface ExecutorPython {
  readonly pool: PythonPool;
  /** Returns what gateways read about it; null while no process has started. */
  announced(): AnnouncedPython | null;
  /** Decides which texts run. */
  readonly approvedCode: Pick<ApprovedCode, 'missing' | 'forget'>;
  /** Records texts that wait for a decision. */
  readonly authorCode: Pick<AuthorCodeStore, 'submit'>;
}

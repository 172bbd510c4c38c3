import type { PythonEnvironment } from '@millrace/flow';
import type { PythonPool } from '@millrace/python';
import type { SubmittedCode } from '@millrace/runs';

/** Decides which texts run. */
export interface CodeApprovals {
  /** Resolves to those of these SHA-256 that cannot run. */
  notApproved(hashes: readonly string[]): Promise<ReadonlySet<string>>;
  /** Records texts of this user that wait for a decision. */
  submit(userId: string, texts: readonly SubmittedCode[]): Promise<void>;
}

/** The Python of an executor. */
export interface ExecutorPython {
  readonly environment: PythonEnvironment;
  readonly pool: PythonPool;
  readonly approvals: CodeApprovals;
  /** Ends all processes. Idempotent. */
  close(): Promise<void>;
}

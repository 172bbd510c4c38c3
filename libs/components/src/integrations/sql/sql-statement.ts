import { ComponentError } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';

/** One SQL statement and its permissions. */
export interface SqlStatement {
  readonly text: string;
  /** When false, the database is asked to reject changes. */
  readonly mayWrite: boolean;
}

/** The result of a statement: rows of cells in the order of the columns. A statement without rows has no columns. */
export interface SqlRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly PythonValue[])[];
}

/** The database rejected the statement; the message is that of the database. */
export class StatementError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StatementError';
  }
}

export const maximumRows = 10_000;
export const maximumBytes = 10 * 1024 * 1024;

export const tooManyRows = (): Error =>
  new ComponentError(`The SQL Query returned more than ${maximumRows} rows. Add a LIMIT.`);

export const tooManyBytes = (): Error =>
  new ComponentError(`The SQL Query returned more than ${maximumBytes} bytes. Select less data.`);

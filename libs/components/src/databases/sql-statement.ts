import { ComponentError } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';

/** One statement for one database. */
export interface SqlStatement {
  readonly text: string;
  /** Without it, the database is asked to change nothing. */
  readonly mayWrite: boolean;
}

/** What a statement gave: rows of cells, in the order of the columns. A statement without rows has no columns. */
export interface SqlRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly PythonValue[])[];
}

/** The database refused the statement; the message is the database's own. */
export class StatementError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StatementError';
  }
}

export const maximumRows = 10_000;
export const maximumBytes = 10 * 1024 * 1024;

export const tooManyRows = (): Error =>
  new ComponentError(`The SQL Query gave more than ${maximumRows} rows. Give it a LIMIT.`);

export const tooManyBytes = (): Error =>
  new ComponentError(`The SQL Query gave more than ${maximumBytes} bytes. Select less.`);

import type { PythonObject } from './python-value';

/** Langflow's DataFrame (Table): rows of named columns. A cell a row lacks is missing (NaN). */
export class DataFrame {
  /** Union of the rows' keys in first-seen order. */
  readonly columns: readonly string[];
  readonly rows: readonly PythonObject[];

  constructor(rows: readonly PythonObject[], columns?: readonly string[]) {
    this.rows = rows;
    this.columns = columns ?? [...new Set(rows.flatMap((row) => Object.keys(row)))];
  }

  toJSON(): unknown {
    return this.rows;
  }
}

import type { PythonObject } from './python-value';

/** Langflow's DataFrame (Table): rows of named columns. A cell that a row lacks is missing (NaN). */
export class DataFrame {
  /** Union of the rows' keys, in the order of first occurrence. */
  readonly columns: readonly string[];
  readonly rows: readonly PythonObject[];

  constructor(rows: readonly PythonObject[], columns?: readonly string[]) {
    this.rows = rows;
    this.columns = columns ?? [...keysOf(rows)];
  }

  toJSON(): unknown {
    return this.rows;
  }
}

function keysOf(rows: readonly PythonObject[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const row of rows) for (const key of Object.keys(row)) keys.add(key);
  return keys;
}

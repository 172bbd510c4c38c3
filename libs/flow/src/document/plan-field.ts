import type { PythonValue } from '@millrace/python-text';

/** One field of a vertex, as saved in the flow file. */
export interface PlanField {
  readonly name: string;
  readonly displayName: string;
  /** Langflow's field type: str, int, bool, float, dict, NestedDict, table, file, prompt, other, code, … */
  readonly type: string;
  readonly value: PythonValue;
  readonly show: boolean;
  readonly loadFromDatabase: boolean;
  /** For a table: the columns whose cells are names of stored variables. */
  readonly variableColumns: readonly string[];
  readonly list: boolean;
  readonly password: boolean;
  readonly filePath: PythonValue;
  readonly overrideSkip: boolean;
  readonly required: boolean;
}

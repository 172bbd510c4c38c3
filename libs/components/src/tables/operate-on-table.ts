import { DataFrame, tableRecords } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';
import { runOperation } from '../data/run-operation';
import type { TableOperationSettings } from './table-operation-inputs';
import { tableOperations } from './table-operations-by-name';

/** Does the operation that was chosen on the first table; without one the table is given as it is. */
export function operateOnTable(chosen: readonly string[], settings: TableOperationSettings): PythonValue {
  const given = settings.df[0] ?? new DataFrame([]);
  // A column keeps the kind of its numbers when rows go.
  const table = new DataFrame(tableRecords(given), given.columns);
  return runOperation(tableOperations, chosen, (run) => run(table, settings)) ?? given;
}

import { DataFrame, tableRecords } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { runOperation } from '../../data/operations/run-operation';
import type { TableOperationSettings } from './table-operation-inputs';
import { tableOperations } from './table-operations-by-name';

/** Applies the selected operation to the first table; returns the table unchanged without one. */
export function operateOnTable(chosen: readonly string[], settings: TableOperationSettings): PythonValue {
  const given = settings.df[0] ?? new DataFrame([]);
  // A column keeps its number type when rows are removed.
  const table = new DataFrame(tableRecords(given), given.columns);
  return runOperation(tableOperations, chosen, (run) => run(table, settings)) ?? given;
}

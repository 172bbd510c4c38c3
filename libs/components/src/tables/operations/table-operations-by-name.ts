import { ComponentError } from '@millrace/flow';
import { DataFrame, repr, tableRecords } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { cellKey, cellOf, comparableValue, compareCells, isMissing } from './cells';
import { checkColumn, checkSelection } from './column-errors';
import { filterRows } from './filter-rows';
import { mergeTables } from './merge-tables';
import type { TableOperationSettings } from './table-operation-inputs';

/** Applies one operation to a table. */
export type TableOperation = (table: DataFrame, settings: TableOperationSettings) => DataFrame;

/** The operations on tables, by the names in flow files. Merge and Concatenate have their own table inputs. */
export const tableOperations: Readonly<Record<string, TableOperation>> = {
  'Add Column': (table, { new_column_name, new_column_value }) =>
    new DataFrame(
      table.rows.map((row) => ({ ...row, [new_column_name]: new_column_value })),
      [...new Set([...table.columns, new_column_name])],
    ),
  Concatenate: (_, { df }) =>
    new DataFrame(df.flatMap(tableRecords), [...new Set(df.flatMap(({ columns }) => columns))]),
  'Drop Column': (table, { column_name }) => {
    if (!table.columns.includes(column_name)) {
      throw new ComponentError(repr(`${repr([column_name])} not found in axis`));
    }
    return withColumns(
      table,
      table.columns.filter((name) => name !== column_name),
    );
  },
  Filter: (table, { column_name, filter_operator, filter_value }) => {
    checkColumn(table, column_name);
    const filter = { column: column_name, operator: filter_operator, value: filter_value };
    return new DataFrame(filterRows(table.rows, filter), table.columns);
  },
  Head: ({ rows, columns }, { num_rows }) => new DataFrame(rows.slice(0, num_rows), columns),
  Tail: ({ rows, columns }, { num_rows }) =>
    new DataFrame(num_rows === 0 ? [] : rows.slice(-num_rows), columns),
  Merge: (_, { left_dataframe, right_dataframe, merge_on_column, merge_how }) =>
    mergeTables(left_dataframe, right_dataframe, { column: merge_on_column, how: merge_how }),
  'Rename Column': ({ rows, columns }, { column_name, new_column_name }) => {
    const renamed = (name: string): string => (name === column_name ? new_column_name : name);
    return new DataFrame(
      rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, cell]) => [renamed(name), cell]))),
      columns.map(renamed),
    );
  },
  'Replace Value': (table, { column_name, replace_value, replacement_value }) => {
    checkColumn(table, column_name);
    const cells = table.rows.map((row) => cellOf(row, column_name));
    const replaced = cellKey(comparableValue(replace_value, cells));
    const replacement = comparableValue(replacement_value, cells);
    return new DataFrame(
      table.rows.map((row, index) =>
        cellKey(cells[index] ?? null) === replaced ? { ...row, [column_name]: replacement } : row,
      ),
      table.columns,
    );
  },
  'Select Columns': (table, { columns_to_select }) => {
    const columns = columns_to_select.map((name) => name.trim());
    checkSelection(table, columns);
    return withColumns(table, columns);
  },
  Sort: (table, { column_name, ascending }) => {
    checkColumn(table, column_name);
    return new DataFrame(sorted(table.rows, column_name, ascending), table.columns);
  },
  'Drop Duplicates': (table, { column_name }) => {
    if (column_name !== '' && !table.columns.includes(column_name)) {
      throw new ComponentError(`Index(${repr([column_name])}, dtype='object')`);
    }
    const columns = column_name === '' ? table.columns : [column_name];
    return new DataFrame(firstOfEach(table.rows, columns), table.columns);
  },
};

function withColumns({ rows }: DataFrame, columns: readonly string[]): DataFrame {
  return new DataFrame(
    rows.map((row) => Object.fromEntries(columns.map((name) => [name, cellOf(row, name)]))),
    columns,
  );
}

/** Rows with equal cells keep their order; rows without a value come last in either direction. */
function sorted(rows: readonly PythonObject[], column: string, ascending: boolean): readonly PythonObject[] {
  const full = rows.filter((row) => !isMissing(cellOf(row, column)));
  const empty = rows.filter((row) => isMissing(cellOf(row, column)));
  const sign = ascending ? 1 : -1;
  full.sort((one, other) => sign * compareCells(cellOf(one, column), cellOf(other, column)));
  return [...full, ...empty];
}

function firstOfEach(rows: readonly PythonObject[], columns: readonly string[]): readonly PythonObject[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    const key = JSON.stringify(columns.map((column) => cellKey(cellOf(row, column))));
    return !seen.has(key) && seen.add(key);
  });
}

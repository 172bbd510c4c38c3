import { boolean, dataFrame, dropdown, integer, listOf, text } from '@millrace/flow';
import type { InputValues } from '@millrace/flow';
import { filterOperators } from './filter-rows';

/** The inputs of all operations on tables; each operation uses some of them. */
export const tableOperationInputs = {
  df: listOf(dataFrame({ displayName: 'Table' })),
  column_name: text({ displayName: 'Column Name', plain: true }),
  filter_value: text({ displayName: 'Filter Value' }),
  filter_operator: dropdown({ displayName: 'Filter Operator', options: filterOperators, default: 'equals' }),
  ascending: boolean({ displayName: 'Sort Ascending', default: true }),
  new_column_name: text({ displayName: 'New Column Name', plain: true }),
  new_column_value: text({ displayName: 'New Column Value' }),
  columns_to_select: listOf(text({ displayName: 'Columns to Select', plain: true })),
  num_rows: integer({ displayName: 'Number of Rows', default: 5 }),
  replace_value: text({ displayName: 'Value to Replace' }),
  replacement_value: text({ displayName: 'Replacement Value' }),
  left_dataframe: dataFrame({ displayName: 'Left Table' }),
  right_dataframe: dataFrame({ displayName: 'Right Table' }),
  merge_on_column: text({ displayName: 'Merge On', plain: true }),
  merge_how: dropdown({
    displayName: 'Merge How',
    options: ['inner', 'outer', 'left', 'right'],
    default: 'inner',
  }),
};

export type TableOperationSettings = InputValues<typeof tableOperationInputs>;

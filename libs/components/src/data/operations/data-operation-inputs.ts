import { data, dictionary, dropdown, listOf, text } from '@millrace/flow';
import type { InputValues } from '@millrace/flow';

/** The settings of all operations on data; each operation uses some of them. */
export const dataOperationInputs = {
  data: listOf(data({ displayName: 'JSON' })),
  select_keys_input: listOf(text({ displayName: 'Select Keys' })),
  append_update_data: dictionary({ displayName: 'Append or Update', default: { key: 'value' } }),
  remove_keys_input: listOf(text({ displayName: 'Remove Keys' })),
  rename_keys_input: dictionary({ displayName: 'Rename Keys', default: { old_key: 'new_key' } }),
  mapped_json_display: text({ displayName: 'JSON to Map', multiline: true }),
  selected_key: dropdown({ displayName: 'Select Path', options: [] }),
  query: text({ displayName: 'JQ Expression' }),
};

export type DataOperationSettings = InputValues<typeof dataOperationInputs>;

import { defineComponent, sortableList } from '@millrace/flow';
import { operateOnTable } from './operations/operate-on-table';
import { tableOperationInputs } from './operations/table-operation-inputs';
import { tableOperations } from './operations/table-operations-by-name';

export default defineComponent({
  type: 'DataFrameOperations',
  displayName: 'Table Operations',
  description: 'Applies an operation to a table.',
  inputs: {
    operation: sortableList({ displayName: 'Operation', options: Object.keys(tableOperations) }),
    ...tableOperationInputs,
  },
  outputs: { output: { types: ['DataFrame', 'Table'], displayName: 'Table', method: 'perform_operation' } },
  deterministic: true,
  run: ({ operation, ...settings }) => ({ output: operateOnTable(operation, settings) }),
});

import { defineComponent, sortableList } from '@millrace/flow';
import { dataOperationInputs } from './operations/data-operation-inputs';
import { dataOperations } from './operations/data-operations-by-name';
import { operateOnData } from './operations/operate-on-data';

export default defineComponent({
  type: 'DataOperations',
  displayName: 'JSON Operations',
  description: 'Applies one of several operations to data.',
  inputs: {
    operations: sortableList({ displayName: 'Operations', options: Object.keys(dataOperations) }),
    ...dataOperationInputs,
  },
  outputs: { data_output: { types: ['Data', 'JSON'], displayName: 'JSON', method: 'as_data' } },
  deterministic: true,
  run: ({ operations, ...settings }) => ({ data_output: operateOnData(operations, settings) }),
});

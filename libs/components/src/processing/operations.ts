import { defineComponent, sortableList, tab, toData, toDataFrame, toMessage } from '@millrace/flow';
import type { ComponentContext, InputValues } from '@millrace/flow';
import { Data, DataFrame } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { dataOperationInputs } from '../data/operations/data-operation-inputs';
import { dataOperations } from '../data/operations/data-operations-by-name';
import { operateOnData } from '../data/operations/operate-on-data';
import { runOperation } from '../data/operations/run-operation';
import { operateOnTable } from '../tables/operations/operate-on-table';
import { tableOperationInputs } from '../tables/operations/table-operation-inputs';
import { tableOperations } from '../tables/operations/table-operations-by-name';
import { textOperationInputs } from '../text/operations/text-operation-inputs';
import { textOperations } from '../text/operations/text-operations-by-name';

const inputs = {
  input_type: tab({
    displayName: 'Input Type',
    options: ['Text', 'JSON', 'Table'],
    default: 'Text',
    formerNames: { Data: 'JSON', DataFrame: 'Table' },
  }),
  operation: sortableList({
    displayName: 'Operation',
    options: [textOperations, dataOperations, tableOperations].flatMap(Object.keys),
  }),
  ...textOperationInputs,
  ...dataOperationInputs,
  ...tableOperationInputs,
};

export default defineComponent({
  type: 'Operations',
  displayName: 'Data Operations',
  description: 'Applies an operation to a text, to data or to a table.',
  inputs,
  outputs: {
    message_output: { types: ['Message'], displayName: 'Message', method: 'as_message' },
    text_output: { types: ['Message'], displayName: 'Text', method: 'as_text' },
    data_output: { types: ['Data', 'JSON'], displayName: 'JSON', method: 'as_data' },
    dataframe_output: { types: ['DataFrame', 'Table'], displayName: 'Table', method: 'as_dataframe' },
  },
  deterministic: true,
  run: async (settings, context) => {
    const result = await operate(settings, context);
    const kind = resultKind(settings);
    const shown = kind === 'text' ? result : settings.text_input;
    return {
      ...(context.wants('message_output') ? { message_output: toMessage(shown) } : {}),
      ...(context.wants('text_output') ? { text_output: toMessage(shown) } : {}),
      ...(context.wants('data_output')
        ? { data_output: kind === 'data' ? toData(result) : new Data({}) }
        : {}),
      ...(context.wants('dataframe_output')
        ? { dataframe_output: kind === 'table' ? toDataFrame(result) : new DataFrame([]) }
        : {}),
    };
  },
});

/** Only the output of an operation's kind has its result; another text output has the text itself, the others are empty. */
function resultKind({ input_type, operation }: InputValues<typeof inputs>): 'text' | 'data' | 'table' {
  if (input_type === 'JSON' || (input_type !== 'Table' && operation[0] === 'Word Count')) return 'data';
  return input_type === 'Table' || operation[0] === 'Text to DataFrame' ? 'table' : 'text';
}

async function operate(
  settings: InputValues<typeof inputs>,
  context: ComponentContext,
): Promise<PythonValue> {
  const { input_type, operation } = settings;
  if (input_type === 'JSON') return operateOnData(operation, settings);
  if (input_type === 'Table') return operateOnTable(operation, settings);
  return (
    (await runOperation(textOperations, operation, (run) =>
      run(settings, { context, cleansNewlines: false }),
    )) ?? ''
  );
}

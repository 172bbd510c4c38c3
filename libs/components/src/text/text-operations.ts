import { defineComponent, sortableList, toData, toDataFrame, toMessage } from '@millrace/flow';
import { Data, DataFrame, Message, str } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { runOperation } from '../data/operations/run-operation';
import { textOperationInputs } from './operations/text-operation-inputs';
import { textOperations } from './operations/text-operations-by-name';

export default defineComponent({
  type: 'TextOperations',
  displayName: 'Text Operations',
  description: 'Applies an operation to a text.',
  inputs: {
    operation: sortableList({ displayName: 'Operation', options: Object.keys(textOperations) }),
    ...textOperationInputs,
  },
  outputs: {
    dataframe: { types: ['DataFrame', 'Table'], displayName: 'DataFrame' },
    text: { types: ['Message'], displayName: 'Text' },
    message: { types: ['Message'], displayName: 'Message' },
    data: { types: ['Data', 'JSON'], displayName: 'Data' },
  },
  deterministic: true,
  run: async ({ operation, ...settings }, context) => {
    const result =
      (await runOperation(textOperations, operation, (run) =>
        run(settings, { context, cleansNewlines: true }),
      )) ?? (context.langflow === '1.11' ? '' : settings.text_input);
    return {
      // A table and data are given by the operation that makes them only.
      ...(context.wants('dataframe')
        ? { dataframe: operation[0] === 'Text to DataFrame' ? toDataFrame(result) : new DataFrame([]) }
        : {}),
      ...(context.wants('text') ? { text: shownText(result) } : {}),
      ...(context.wants('message') ? { message: shownText(result) } : {}),
      ...(context.wants('data')
        ? { data: operation[0] === 'Word Count' ? toData(result) : new Data({}) }
        : {}),
    };
  },
});

/** Returns the text of a result; that of a table is what pandas prints. */
function shownText(result: PythonValue): Message {
  return result instanceof DataFrame ? new Message({ text: str(result) }) : toMessage(result);
}

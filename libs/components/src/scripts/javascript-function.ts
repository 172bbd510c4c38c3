import { ComponentError, code, defineComponent, handle, toDataFrame } from '@millrace/flow';
import { Data, Message, DataFrame, tableRecords } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';

export default defineComponent({
  type: 'JavaScriptFunction',
  displayName: 'JavaScript Function',
  description: 'Runs JavaScript code of the author on a value.',
  inputs: {
    input_value: handle({
      displayName: 'Input',
      description: 'The value that the script reads as `input`, and that `main` receives.',
      inputTypes: ['Data', 'JSON', 'DataFrame', 'Table', 'Message'],
      tool: true,
    }),
    script: code({
      displayName: 'Script',
      description: 'JavaScript whose last expression, or whose function `main(input)`, returns the result.',
      required: true,
    }),
  },
  outputs: {
    data: { types: ['Data', 'JSON'], displayName: 'Data', method: 'call_function' },
    message: { types: ['Message'], displayName: 'Message', tool: false },
    dataframe: { types: ['DataFrame', 'Table'], displayName: 'DataFrame', tool: false },
  },
  deterministic: false,
  async run({ input_value, script }, context) {
    if (script.trim() === '') throw new ComponentError('The script is empty.');
    const { resources, signal } = context;
    const result = await resources.scripts.call({ source: script, input: scriptInput(input_value), signal });
    return {
      ...(context.wants('data') && { data: new Data(resultObject(result)) }),
      ...(context.wants('message') && { message: new Message({ text: resultText(result) }) }),
      ...(context.wants('dataframe') && { dataframe: toDataFrame(resultRows(result)) }),
    };
  },
});

function resultText(result: PythonValue): string {
  if (result === null) return '';
  return typeof result === 'string' ? result : JSON.stringify(result);
}

function resultObject(result: PythonValue): PythonObject {
  if (typeof result === 'string') return { text: result };
  if (Array.isArray(result)) return { results: result };
  return isObject(result) ? result : { result };
}

function resultRows(result: PythonValue): PythonValue {
  const rows: readonly PythonValue[] = Array.isArray(result) ? result : [result];
  return rows.map((row) => (isObject(row) ? row : resultObject(row)));
}

/** The value contains only what JSON can represent. */
function isObject(value: PythonValue): value is PythonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Converts a value for a script: a message to its text, data to its object, a table to the list of its rows. */
function scriptInput(value: PythonValue): PythonValue {
  if (value instanceof Message) return value.text;
  if (value instanceof Data) return value.data;
  if (value instanceof DataFrame) return tableRecords(value);
  return Array.isArray(value) ? value.map(scriptInput) : value;
}

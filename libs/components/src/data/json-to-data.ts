import { classText, ComponentError, defineComponent, file, isDict, text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { givenText } from '../files/readers/given-text';
import { repairJson } from '../parsing/json/repair-json';

export default defineComponent({
  type: 'JSONtoData',
  displayName: 'Load JSON',
  description: 'Reads a JSON text or file; an object becomes data, a list becomes a list of data.',
  inputs: {
    json_file: file({ displayName: 'JSON File' }),
    json_path: text({ displayName: 'JSON File Path' }),
    json_string: text({ displayName: 'JSON String', multiline: true }),
  },
  outputs: { data: { types: ['Data', 'JSON'], displayName: 'Data' } },
  deterministic: false,
  run: async ({ json_file, json_path, json_string }, context) => {
    const given = { type: 'JSON', files: json_file, path: json_path, text: json_string } as const;
    const value = repairJson(await givenText(context, given));
    if (value === '') throw new ComponentError(noJson);
    const result = Array.isArray(value) ? value.map((item: PythonValue) => dataOf(item)) : dataOf(value);
    context.status(result);
    return { data: result };
  },
});

const noJson = 'Invalid JSON or Python literal: Expecting value: line 1 column 1 (char 0)';

function dataOf(value: PythonValue): Data {
  if (isDict(value)) return new Data(value);
  throw new ComponentError(`The JSON must hold objects, got ${classText(value)}`);
}

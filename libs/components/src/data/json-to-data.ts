import { classText, ComponentError, Data, defineComponent, file, isDict, text } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';
import { repairJson } from './repair-json';

export default defineComponent({
  type: 'JSONtoData',
  displayName: 'Load JSON',
  description: 'Makes data of a JSON text, one item of an object, several of a list.',
  inputs: {
    json_file: file({ displayName: 'JSON File' }),
    json_path: text({ displayName: 'JSON File Path' }),
    json_string: text({ displayName: 'JSON String', multiline: true }),
  },
  outputs: { data: { types: ['Data', 'JSON'], displayName: 'Data' } },
  deterministic: true,
  run: ({ json_file, json_path, json_string }, context) => {
    if (json_file.length > 0 || json_path !== '') {
      throw new ComponentError('JSON files cannot be read here. Give their text as the JSON string.');
    }
    if (json_string === '') {
      throw new ComponentError('Please provide exactly one of: JSON file, file path, or JSON string.');
    }
    const value = repairJson(json_string);
    const result = Array.isArray(value) ? value.map((item: PythonValue) => dataOf(item)) : dataOf(value);
    context.status(result);
    return { data: result };
  },
});

function dataOf(value: PythonValue): Data {
  if (isDict(value)) return new Data(value);
  throw new ComponentError(`The JSON must hold objects, got ${classText(value)}`);
}

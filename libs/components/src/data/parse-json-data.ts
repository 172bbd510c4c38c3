import { ComponentError, defineComponent, handle, isDict, text } from '@millrace/flow';
import { Data, Message, str, typeName } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { evaluateQuery } from '../parsing/json-query/evaluate-query';
import { parseQuery } from '../parsing/json-query/parse-query';
import { QueryError } from '../parsing/json-query/query-error';
import { repairJson } from '../parsing/json/repair-json';

export default defineComponent({
  type: 'ParseJSONData',
  displayName: 'Parse JSON',
  description: 'Extracts values from JSON with a jq expression.',
  inputs: {
    input_value: handle({
      displayName: 'Input',
      required: true,
      inputTypes: ['Message', 'Data', 'JSON'],
    }),
    query: text({ displayName: 'JQ Query', required: true }),
  },
  outputs: { filtered_data: { types: ['Data', 'JSON'], displayName: 'Filtered Data' } },
  deterministic: true,
  run: ({ input_value, query }) => {
    const found = results(jsonOf(input_value), query);
    const list = found.map((value) => new Data(isDict(value) ? value : { text: str(value) }));
    return { filtered_data: list };
  },
});

/** Converts the input to JSON: several items become a list, and the text of a message is parsed. */
function jsonOf(value: PythonValue): PythonValue {
  if (Array.isArray(value)) return value.map((item: PythonValue) => jsonOf(item));
  if (value instanceof Message) return repairJson(value.text);
  if (value instanceof Data) return value.data;
  if (typeof value === 'string') return repairJson(value);
  throw new ComponentError(`Invalid JSON: ${typeName(value)}`);
}

function results(value: PythonValue, query: string): readonly PythonValue[] {
  try {
    return evaluateQuery(parseQuery(query), value);
  } catch (error) {
    if (error instanceof QueryError) throw new ComponentError(error.message, error);
    throw error;
  }
}

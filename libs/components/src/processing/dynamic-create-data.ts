import { boolean, defineComponent, isDict, table } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { Data, Message, str } from '@millrace/python-text';

const RULE = '='.repeat(40);

export default defineComponent({
  type: 'DynamicCreateData',
  displayName: 'Dynamic Create Data',
  description: 'Builds data from fields that its table names.',
  inputs: {
    form_fields: table({ displayName: 'Input Configuration', inputTypes: ['DataFrame', 'Table'] }),
    include_metadata: boolean({ displayName: 'Include Metadata', advanced: true }),
  },
  outputs: {
    form_data: { types: ['Data', 'JSON'], displayName: 'JSON', method: 'process_form' },
    message: { types: ['Message'], displayName: 'Message', method: 'get_message' },
  },
  deterministic: true,
  run: ({ form_fields }, context) => {
    const values = namedValues(form_fields, context.fields);
    const names = Object.keys(values);
    const connected = names.filter((name) => {
      const value = context.fields[`dynamic_${name}`];
      return value instanceof Message || value instanceof Data;
    });
    const counts = `${connected.length}/${names.length}`;
    if (names.length > 0) context.status(`Message formatted with ${names.length} fields`, 'message');
    context.status(`Form processed successfully. ${counts} fields connected to components.`, 'form_data');
    return {
      form_data: new Data(values),
      message: new Message({ text: messageText(values) }),
    };
  },
});

/** Returns the value of each named field, which is saved or connected as `dynamic_` and the name. */
function namedValues(
  rows: readonly PythonObject[],
  fields: Readonly<Record<string, PythonValue>>,
): PythonObject {
  const names = rows
    .map(({ field_name: name }) => name)
    .filter((name) => typeof name === 'string' && name !== '');
  return Object.fromEntries(names.map((name) => [name, plain(fields[`dynamic_${String(name)}`] ?? '')]));
}

/** Returns a value without classes: the text of a message, the text of data that has one, else its members. */
function plain(value: PythonValue): PythonValue {
  if (value instanceof Message) return value.text;
  if (value instanceof Data) {
    const { text } = value.data;
    return text === undefined ? plain({ ...value.data }) : str(text);
  }
  if (Array.isArray(value)) return (value as readonly PythonValue[]).map(plain);
  if (isDict(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]));
  return typeof value === 'object' && value !== null ? str(value) : value;
}

function messageText(values: PythonObject): string {
  const entries = Object.entries(values);
  if (entries.length === 0) return 'No form data available';
  const lines = entries.map(([name, value]) => `• ${name}: ${str(value)}`);
  return ['📋 Form Data:', RULE, ...lines, RULE, `Total fields: ${entries.length}`].join('\n');
}

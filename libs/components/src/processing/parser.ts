import {
  boolean,
  ComponentError,
  defineComponent,
  handle,
  mapped,
  safeConvert,
  tab,
  text,
} from '@millrace/flow';
import { codePointCount, Message, parseFormat } from '@millrace/python-text';
import type { SafeConvertOptions } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { formatItems } from './format-items';

export default defineComponent({
  type: 'ParserComponent',
  aliases: ['parser'],
  displayName: 'Parser',
  description: 'Converts data or a table to text: with a pattern, or as a whole.',
  inputs: {
    input_data: handle({
      displayName: 'JSON or Table',
      required: true,
      inputTypes: ['DataFrame', 'Table', 'Data', 'JSON'],
    }),
    mode: tab({ displayName: 'Mode', options: ['Parser', 'Stringify'], default: 'Parser' }),
    pattern: mapped(
      text({ displayName: 'Template', multiline: true, required: true, default: 'Text: {text}' }),
      parseFormat,
    ),
    sep: text({ displayName: 'Separator', default: '\n', advanced: true }),
    clean_data: boolean({ displayName: 'Clean Data', advanced: true }),
  },
  outputs: { parsed_text: { types: ['Message'], displayName: 'Parsed Text' } },
  deterministic: true,
  run: ({ input_data, mode, pattern, sep, clean_data }, context) => {
    if (mode === 'Stringify') {
      const result = new Message({
        text: stringified(input_data, { cleanData: clean_data, langflow: context.langflow }),
      });
      context.log(`Converted to string with length: ${codePointCount(result.text)}`);
      return { parsed_text: result };
    }
    const joined = formatItems(pattern, input_data).join(sep);
    context.status(joined);
    return { parsed_text: new Message({ text: joined }) };
  },
});

function stringified(value: PythonValue, options: SafeConvertOptions): string {
  if (value === null) throw new ComponentError('Input data cannot be None');
  if (!Array.isArray(value)) return safeConvert(value, options);
  return value.map((item: PythonValue) => safeConvert(item, options)).join('\n');
}

import type { ComponentContext } from '@millrace/flow';
import { boolean, defineComponent, handle, tab, toData, toDataFrame, toMessage } from '@millrace/flow';
import { Data, Message } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { runInSlices } from '../parsing/run-in-slices';
import { parseStructuredText } from './parse-structured-text';

export default defineComponent({
  type: 'TypeConverterComponent',
  displayName: 'Type Convert',
  description: 'Converts between messages, data and tables.',
  inputs: {
    input_data: handle({
      displayName: 'Input',
      required: true,
      inputTypes: ['Message', 'Data', 'JSON', 'DataFrame', 'Table'],
    }),
    auto_parse: boolean({ displayName: 'Auto Parse', advanced: true }),
    output_type: tab({
      displayName: 'Output Type',
      options: ['Message', 'JSON', 'Table'],
      default: 'Message',
      formerNames: { Data: 'JSON', DataFrame: 'Table' },
    }),
  },
  outputs: {
    message_output: { types: ['Message'], displayName: 'Message Output' },
    data_output: { types: ['Data', 'JSON'], displayName: 'JSON Output' },
    dataframe_output: { types: ['DataFrame', 'Table'], displayName: 'Table Output' },
  },
  deterministic: true,
  run: async ({ input_data, auto_parse }, context) => {
    const input = singleInput(input_data);
    const outputs: Record<string, PythonValue> = {};
    const give = (name: string, convert: () => PythonValue): void => {
      if (context.wants(name)) outputs[name] = shown(context, name, convert());
    };
    give('message_output', () => toMessage(input));
    const parsed = auto_parse ? await structured(input, context.signal) : input;
    give('data_output', () => toData(parsed));
    give('dataframe_output', () => toDataFrame(parsed));
    return outputs;
  },
});

function shown(context: ComponentContext, output: string, value: PythonValue): PythonValue {
  context.status(value, output);
  return value;
}

function singleInput(value: PythonValue): PythonValue {
  const first: PythonValue = Array.isArray(value) ? ((value as readonly PythonValue[])[0] ?? null) : value;
  return typeof first === 'string' ? new Message({ text: first }) : first;
}

/** Parses a message's text when it is JSON or a CSV table; returns any other value unchanged. */
async function structured(value: PythonValue, signal: AbortSignal): Promise<PythonValue> {
  if (!(value instanceof Message)) return value;
  const found = await runInSlices(parseStructuredText(value.text), signal);
  return found === null ? value : new Data(found);
}

import { Data, DataFrame, Message } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { toMessage } from '../values/convert';
import { jsonValue } from '../values/json-value';

/** Returns an output as text for a model: the text of a message, a table as Markdown, anything else as JSON. */
export async function toolResult(value: PythonValue): Promise<string> {
  if (value instanceof Message) return completeText(value);
  if (value instanceof DataFrame) return toMessage(value).text;
  if (typeof value === 'string') return value;
  return JSON.stringify(jsonValue(value instanceof Data ? value.data : value));
}

async function completeText({ text, fields: { stream } }: Message): Promise<string> {
  if (stream === null) return text;
  let complete = '';
  for await (const chunk of stream) complete += chunk;
  return complete;
}

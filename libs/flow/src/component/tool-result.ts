import { Data, DataFrame, isHandle, jsonDumpsCompact, Message } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { toMessage } from '../values/convert';

/** Returns an output as text for a model: the text of a message, a table as Markdown, anything else as Python writes JSON. */
export async function toolResult(value: PythonValue): Promise<string> {
  if (value instanceof Message) return completeText(value);
  if (value instanceof DataFrame) return toMessage(value).text;
  if (typeof value === 'string') return value;
  if (isHandle(value)) return 'null';
  return jsonDumpsCompact(value instanceof Data ? value.data : value);
}

async function completeText({ text, fields: { stream } }: Message): Promise<string> {
  if (stream === null) return text;
  let complete = '';
  for await (const chunk of stream) complete += chunk;
  return complete;
}

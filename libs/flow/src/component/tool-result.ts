import { Data } from '../values/data';
import { DataFrame } from '../values/data-frame';
import { Message } from '../values/message';
import { toMessage } from '../values/convert';
import { jsonValue } from '../values/json-value';
import type { PythonValue } from '../values/python-value';

/** What a model reads of an output: the text of a message, a table as Markdown, anything else as JSON. */
export async function toolResult(value: PythonValue): Promise<string> {
  if (value instanceof Message) return wholeText(value);
  if (value instanceof DataFrame) return toMessage(value).text;
  if (typeof value === 'string') return value;
  return JSON.stringify(jsonValue(value instanceof Data ? value.data : value));
}

async function wholeText({ text, fields: { stream } }: Message): Promise<string> {
  if (stream === null) return text;
  let whole = '';
  for await (const chunk of stream) whole += chunk;
  return whole;
}

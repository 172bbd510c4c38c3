import {
  ComponentError,
  defineComponent,
  FLOW_ANSWER_OUTPUT,
  handle,
  refusedAnswer,
  RESPOND_TYPE,
  table,
  text,
} from '@millrace/flow';
import { Data, DataFrame, isHandle, Message, orjsonCompact, str, typeName } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';

const MAXIMUM_HEADERS = 20;

export default defineComponent({
  type: RESPOND_TYPE,
  displayName: 'Respond',
  description: 'Chooses the status, the headers and the body that the sender of a webhook receives.',
  inputs: {
    body: handle({ displayName: 'Body', inputTypes: ['Message', 'Data', 'JSON', 'DataFrame', 'Table'] }),
    status: text({ displayName: 'Status', default: '200' }),
    content_type: text({ displayName: 'Content Type' }),
    headers: table({ displayName: 'Headers', inputTypes: ['Data', 'JSON'], advanced: true }),
  },
  outputs: { [FLOW_ANSWER_OUTPUT]: { types: ['Data', 'JSON'], displayName: 'HTTP Response' } },
  deterministic: true,
  run: (inputs, context) => {
    const { body, isJson } = bodyOf(inputs.body);
    const headers = headersOf(inputs.headers);
    const type = inputs.content_type.trim() || headers['content-type'] || defaultType(isJson);
    if (body !== '' || inputs.content_type.trim() !== '') headers['content-type'] = withCharset(type);
    const status = inputs.status.trim();
    const answer = { status: /^\d{3}$/.test(status) ? Number(status) : Number.NaN, headers, body };
    const refusal = refusedAnswer(answer);
    if (refusal !== null) throw new ComponentError(refusal);
    const response = new Data(answer);
    context.status(response);
    return { [FLOW_ANSWER_OUTPUT]: response };
  },
});

interface Body {
  readonly body: string;
  readonly isJson: boolean;
}

/** A text is sent as it is, data and tables as JSON. */
function bodyOf(value: PythonValue): Body {
  if (value === null) return { body: '', isJson: false };
  if (value instanceof Message) return bodyOfText(value.text);
  if (typeof value === 'string') return bodyOfText(value);
  if (isHandle(value)) throw new ComponentError(`The body cannot be a ${typeName(value)}.`);
  return { body: jsonOf(contentOf(value)), isJson: true };
}

function bodyOfText(body: string): Body {
  if (!/^\s*[[{]/.test(body)) return { body, isJson: false };
  try {
    JSON.parse(body);
    return { body, isJson: true };
  } catch {
    return { body, isJson: false };
  }
}

/** Returns the plain value of data, of a table, or of a list of either. */
function contentOf(value: PythonValue): PythonValue {
  if (value instanceof Data) return value.data;
  if (value instanceof DataFrame) return [...value.rows];
  return Array.isArray(value) ? value.map((item: PythonValue) => contentOf(item)) : value;
}

function jsonOf(value: PythonValue): string {
  try {
    return orjsonCompact(value);
  } catch (error) {
    throw new ComponentError(`The body cannot be written as JSON: ${(error as Error).message}`, error);
  }
}

/** Reads rows with a key and a value, or one row whose members are the headers. */
function headersOf(rows: readonly PythonObject[]): Record<string, string> {
  const pairs = rows.flatMap((row) =>
    Object.hasOwn(row, 'key') ? [[row['key'] ?? null, row['value'] ?? null] as const] : Object.entries(row),
  );
  const headers: Record<string, string> = {};
  for (const [key, value] of pairs) {
    const name = str(key).trim().toLowerCase();
    // An empty row of the table.
    if (name === '' || key === null) continue;
    headers[name] = value === null ? '' : str(value).trim();
  }
  if (Object.keys(headers).length > MAXIMUM_HEADERS)
    throw new ComponentError(`There are more than ${MAXIMUM_HEADERS} headers.`);
  return headers;
}

function defaultType(isJson: boolean): string {
  return isJson ? 'application/json' : 'text/plain';
}

/** Names the encoding of a text, because browsers guess it otherwise. */
function withCharset(type: string): string {
  return /^text\//i.test(type) && !/charset=/i.test(type) ? `${type}; charset=utf-8` : type;
}

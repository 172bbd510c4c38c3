import { Data, DataFrame, Message, PythonFloat, isHandle } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';

/**
 * Returns a text that is equal for two values exactly when their contents are equal. Members that differ between runs
 * and are no content (a message's id, timestamp, run and usage) are omitted. Null for values that are more than
 * content, such as a model or a streaming text.
 */
export function canonicalText(value: unknown): string | null {
  try {
    return JSON.stringify(canonicalForm(value));
  } catch (error) {
    if (error === noContent) return null;
    throw error;
  }
}

const noContent = new Error('A value without content.');

/** Returns the content as JSON; values that JSON cannot distinguish become an object with the name of their kind. */
function canonicalForm(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : { number: Object.is(value, -0) ? '-0' : String(value) };
    case 'bigint':
      return { integer: String(value) };
    case 'undefined':
      return { nothing: true };
    case 'object':
      return value === null ? null : canonicalFormOfObject(value);
    default:
      throw noContent;
  }
}

function canonicalFormOfObject(value: object): unknown {
  if (Array.isArray(value)) return value.map(canonicalForm);
  if (value instanceof PythonFloat) return { float: value.value };
  if (value instanceof Message) return { message: canonicalFormOfMessage(value) };
  if (value instanceof Data) return { data: canonicalForm([value.data, value.textKey, value.defaultValue]) };
  if (value instanceof DataFrame) return { table: canonicalForm([value.columns, value.rows]) };
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === Object.prototype || prototype === null;
  if (!isPlain || isHandle(value as PythonValue)) throw noContent;
  return { object: Object.entries(value).map(([key, member]) => [key, canonicalForm(member)]) };
}

function canonicalFormOfMessage({ fields }: Message): unknown {
  if (fields.stream !== null) throw noContent;
  const {
    text,
    sender,
    senderName,
    files,
    sessionId,
    contextId,
    category,
    contentBlocks,
    properties,
    extra,
  } = fields;
  return canonicalForm([
    [text, sender, senderName, files, sessionId, contextId, category],
    [contentBlocks, properties.source, extra],
  ]);
}

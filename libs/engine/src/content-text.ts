import { Data, DataFrame, Message, PythonFloat, isHandle } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';

/**
 * A text that is the same for two values exactly when their contents are. What differs from run to run and is no content
 * (a message's id, its time, its run, what it cost) is left out. Null for what has no content of its own, such as a
 * model or a text that is still being made.
 */
export function contentText(value: unknown): string | null {
  try {
    return JSON.stringify(contentOf(value));
  } catch (error) {
    if (error === noContent) return null;
    throw error;
  }
}

const noContent = new Error('A value without content.');

/** As JSON; whatever JSON cannot tell from something else is an object with the name of its kind. */
function contentOf(value: unknown): unknown {
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
      return value === null ? null : contentOfObject(value);
    default:
      throw noContent;
  }
}

function contentOfObject(value: object): unknown {
  if (Array.isArray(value)) return value.map(contentOf);
  if (value instanceof PythonFloat) return { float: value.value };
  if (value instanceof Message) return { message: contentOfMessage(value) };
  if (value instanceof Data) return { data: contentOf([value.data, value.textKey, value.defaultValue]) };
  if (value instanceof DataFrame) return { table: contentOf([value.columns, value.rows]) };
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === Object.prototype || prototype === null;
  if (!isPlain || isHandle(value as PythonValue)) throw noContent;
  return { object: Object.entries(value).map(([key, member]) => [key, contentOf(member)]) };
}

function contentOfMessage({ fields }: Message): unknown {
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
  return contentOf([
    [text, sender, senderName, files, sessionId, contextId, category],
    [contentBlocks, properties.source, extra],
  ]);
}

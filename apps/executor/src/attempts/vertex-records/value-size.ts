import { Data, DataFrame, Message, isHandle } from '@millrace/python-text';

/** Larger values are not measured to the end. */
const MAXIMUM_BYTES = 1_048_576;

/** Returns the approximate size of values as JSON, in bytes; null when it is above 1 MiB. */
export function sizeOf(values: Iterable<unknown>): number | null {
  let bytes = 0;
  for (const value of values) {
    bytes = add(value, bytes);
    if (bytes > MAXIMUM_BYTES) return null;
  }
  return bytes;
}

function add(value: unknown, before: number): number {
  if (typeof value === 'string') return before + byteLength(value) + 2;
  if (typeof value !== 'object' || value === null || isHandle(value)) return before + 4;
  const content = contentOf(value);
  let bytes = before + 2;
  if (Array.isArray(content)) {
    for (const item of content) {
      bytes = add(item, bytes) + 1;
      if (bytes > MAXIMUM_BYTES) return bytes;
    }
    return bytes;
  }
  for (const key in content) {
    bytes = add((content as Readonly<Record<string, unknown>>)[key], bytes + key.length + 4);
    if (bytes > MAXIMUM_BYTES) return bytes;
  }
  return bytes;
}

function byteLength(text: string): number {
  return text.length > MAXIMUM_BYTES ? text.length : Buffer.byteLength(text);
}

function contentOf(value: object): object {
  if (value instanceof Message) return { text: value.text, files: value.fields.files };
  if (value instanceof Data) return value.data;
  return value instanceof DataFrame ? value.rows : value;
}

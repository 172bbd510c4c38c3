import { isUtf8 } from 'node:buffer';
import { isDict } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { decodeText } from './decode-text';

/**
 * What a streamed answer contains: the JSON of an event, a whole document in place of events, the sign of the end, or
 * text that is none of these.
 */
export type StreamItem =
  | { readonly kind: 'event' | 'document'; readonly value: PythonValue }
  | { readonly kind: 'end' }
  | { readonly kind: 'text'; readonly text: string };

/** Reads the body of an answer with these headers as it arrives. */
export type StreamReader = (
  parts: AsyncIterable<Uint8Array>,
  headers: Headers,
) => AsyncGenerator<StreamItem, void, undefined>;

const field = /^(?:data|event|id|retry)(?::|$)|^:/;

/** Reads server-sent events with JSON, or the document that a server sends in their place. */
export async function* eventsIn(
  parts: AsyncIterable<Uint8Array>,
  headers: Headers,
): AsyncGenerator<StreamItem, void, undefined> {
  let data: string[] = [];
  let hasBegun = false;
  const blocks = lineBlocks(parts);
  for await (const block of blocks) {
    for (const line of linesOf(block, headers)) {
      if (line.startsWith('data:')) {
        data.push(line.slice(line[5] === ' ' ? 6 : 5));
        hasBegun = true;
      } else if (line === '') {
        if (data.length === 0) continue;
        for (const item of itemsIn(data)) yield item;
        data = [];
      } else if (!field.test(line)) {
        if (!hasBegun) return yield* documentIn(block, blocks, headers);
        yield parsedItem(line) ?? { kind: 'text', text: line };
      }
    }
  }
  for (const item of itemsIn(data)) yield item;
}

/** Reads lines of JSON, or the document that a server sends in their place. */
export async function* linesIn(
  parts: AsyncIterable<Uint8Array>,
  headers: Headers,
): AsyncGenerator<StreamItem, void, undefined> {
  let hasBegun = false;
  const blocks = lineBlocks(parts);
  for await (const block of blocks) {
    for (const line of linesOf(block, headers)) {
      if (line.trim() === '') continue;
      const item = parsedItem(line);
      if (item === null && !hasBegun) return yield* documentIn(block, blocks, headers);
      hasBegun = true;
      yield item ?? { kind: 'text', text: line };
    }
  }
}

/** Reads the rest of a body as one document. */
export async function* documentIn(
  first: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
  headers: Headers,
): AsyncGenerator<StreamItem, void, undefined> {
  const parts = [first];
  for await (const part of rest) parts.push(part);
  // A server can send comments of a stream before it fails.
  yield wholeItem(textOf(Buffer.concat(parts), headers).replace(/^(?:\s*:[^\n]*\n)+/, ''));
}

/** Returns a text as a document; as text when it is not JSON. */
export function wholeItem(text: string): StreamItem {
  try {
    return { kind: 'document', value: JSON.parse(text) as PythonValue };
  } catch {
    return { kind: 'text', text };
  }
}

/** Some servers leave out the empty line between events, and some send empty ones to keep the connection open. */
function itemsIn(data: readonly string[]): readonly StreamItem[] {
  const text = data.join('\n').trim();
  if (text === '') return [];
  if (text === '[DONE]') return [{ kind: 'end' }];
  const item = parsedItem(text);
  if (item !== null) return [item];
  return data.length > 1 ? data.flatMap((line) => itemsIn([line])) : [{ kind: 'text', text }];
}

function parsedItem(text: string): StreamItem | null {
  try {
    const value = JSON.parse(text) as PythonValue;
    return isDict(value) || Array.isArray(value) ? { kind: 'event', value } : null;
  } catch {
    return null;
  }
}

/** Yields a body in blocks of whole lines. */
async function* lineBlocks(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  let pending: Buffer[] = [];
  for await (const part of parts) {
    const bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    const end = bytes.lastIndexOf('\n') + 1;
    if (end === 0) {
      pending.push(bytes);
      continue;
    }
    const block = bytes.subarray(0, end);
    yield pending.length === 0 ? block : Buffer.concat([...pending, block]);
    pending = end === bytes.length ? [] : [bytes.subarray(end)];
  }
  if (pending.length > 0) yield Buffer.concat(pending);
}

/** JSON is UTF-8, whatever charset the headers name; they count for bytes that are not. */
export function textOf(bytes: Buffer, headers: Headers): string {
  if (!isUtf8(bytes)) return decodeText({ headers, body: bytes });
  const text = bytes.toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** Returns the lines of a block, which ends with the end of a line or of the body. */
function linesOf(block: Buffer, headers: Headers): readonly string[] {
  return textOf(block, headers)
    .replace(/\r?\n$/, '')
    .split(/\r\n|\n|\r/);
}

import { isDict } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { integerOf } from '../frames/members';

/** Tags of objects that stay in one process. */
const liveTags: ReadonlySet<string> = new Set([
  '$tool',
  '$model',
  '$embeddings',
  '$retriever',
  '$history',
  '$object',
  '$ref',
  '$host',
]);

/** Returns true when a value of a frame refers to a live object, or to a text that is still being produced. */
export function holdsLiveObject(value: PythonValue): boolean {
  return someTagged(
    value,
    (tag, content) =>
      liveTags.has(tag) || (tag === '$message' && isDict(content) && integerOf(content, 'stream') !== null),
  );
}

/** Returns true when a tagged object in a value of a frame matches. */
export function someTagged(
  value: PythonValue,
  matches: (tag: string, content: PythonValue) => boolean,
): boolean {
  if (Array.isArray(value)) return value.some((item: PythonValue) => someTagged(item, matches));
  if (!isDict(value)) return false;
  const [tag, ...others] = Object.keys(value);
  if (tag?.startsWith('$') !== true || others.length > 0) return someMember(value, matches);
  const content = value[tag] ?? null;
  if (tag !== '$dict' && matches(tag, content)) return true;
  return isDict(content) ? someMember(content, matches) : someTagged(content, matches);
}

function someMember(object: PythonObject, matches: (tag: string, content: PythonValue) => boolean): boolean {
  return Object.values(object).some((member) => someTagged(member, matches));
}

/** Returns a value of a frame with some texts replaced, wherever they are a complete text. */
export function withTexts(value: PythonValue, texts: ReadonlyMap<string, string>): PythonValue {
  if (texts.size === 0) return value;
  if (typeof value === 'string') return texts.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item: PythonValue) => withTexts(item, texts));
  if (!isDict(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withTexts(member, texts)]));
}

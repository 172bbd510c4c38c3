import { Message, Data, DataFrame, PythonFloat, isHandle, typeName } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import type { SecretMask } from '../../secret-mask';

const MAXIMUM_TEXT_LENGTH = 2_048;
const MAXIMUM_ITEMS = 20;
const MAXIMUM_MEMBERS = 50;
const MAXIMUM_KEY_LENGTH = 200;
const MAXIMUM_DEPTH = 6;
const CUT = '…';

/** The characters that the values of one record can still have. */
export interface ShownCharacters {
  left: number;
}

/** Returns a value of a flow as JSON, shortened, without secrets; a model, a tool or a store is shown as its type. */
export function shownValue(
  value: unknown,
  mask: SecretMask,
  characters: ShownCharacters,
  depth = 0,
): unknown {
  if (typeof value === 'string') return shownText(value, mask, characters);
  if (typeof value !== 'object' || value === null) return shownScalar(value, mask, characters);
  if (value instanceof PythonFloat) return shownScalar(value.value, mask, characters);
  if (characters.left <= 0 || depth === MAXIMUM_DEPTH) return CUT;
  const inner = (part: unknown): unknown => shownValue(part, mask, characters, depth + 1);
  if (value instanceof Message) return inner(shownMessage(value));
  if (value instanceof Data) return shownMembers(value.data, mask, characters, inner);
  const items = value instanceof DataFrame ? value.rows : value;
  if (Array.isArray(items)) return shownItems(items, inner);
  if (isHandle(value) || !isPlain(value)) return `<${typeNameOf(value)}>`;
  return shownMembers(value, mask, characters, inner);
}

/** Returns the start of a text without secrets. */
export function shownText(text: string, mask: SecretMask, characters: ShownCharacters): string {
  const length = Math.max(0, Math.min(MAXIMUM_TEXT_LENGTH, characters.left));
  const start = mask.start(text, length);
  characters.left -= start.length + 4;
  return text.length > length ? `${start}${CUT}` : start;
}

function shownScalar(value: unknown, mask: SecretMask, characters: ShownCharacters): unknown {
  characters.left -= 6;
  if (typeof value === 'boolean' || value === null || value === undefined) return value ?? null;
  const text = String(value);
  const shown = mask.start(text, MAXIMUM_KEY_LENGTH);
  if (shown !== text || typeof value !== 'number') return shown;
  return value;
}

function shownMessage({ fields }: Message): Readonly<Record<string, unknown>> {
  const { text, sender, senderName, sessionId, files, error } = fields;
  return { text, sender, sender_name: senderName, session_id: sessionId, ...(error && { error }), files };
}

function shownItems(items: readonly unknown[], inner: (item: unknown) => unknown): readonly unknown[] {
  const shown = items.slice(0, MAXIMUM_ITEMS).map(inner);
  if (items.length > MAXIMUM_ITEMS) shown.push(`${CUT} ${items.length - MAXIMUM_ITEMS} more`);
  return shown;
}

function shownMembers(
  object: object,
  mask: SecretMask,
  characters: ShownCharacters,
  inner: (member: unknown) => unknown,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(object);
  const shown = entries.slice(0, MAXIMUM_MEMBERS).map(([key, member]): [string, unknown] => {
    const name = mask.start(key, MAXIMUM_KEY_LENGTH);
    characters.left -= name.length + 4;
    return [name, inner(member)];
  });
  if (entries.length > MAXIMUM_MEMBERS) shown.push([CUT, `${entries.length - MAXIMUM_MEMBERS} more`]);
  return Object.fromEntries(shown);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function typeNameOf(value: object): string {
  return isHandle(value) ? typeName(value as PythonValue) : 'object';
}

import { HttpError } from './http-error';

/** A character that no text in PostgreSQL has. */
export type UnstorableCharacter = 'NUL character' | 'unpaired surrogate';

/** Finds a character that PostgreSQL's text cannot contain: U+0000, or half of a surrogate pair. Null for none. */
export function unstorableCharacter(text: string): UnstorableCharacter | null {
  if (text.includes('\u0000')) return 'NUL character';
  return text.isWellFormed() ? null : 'unpaired surrogate';
}

/** As `unstorableCharacter`, in all texts and names of members of a JSON value, whose depth must be bounded. */
export function unstorableCharacterWithin(value: unknown): UnstorableCharacter | null {
  if (typeof value === 'string') return unstorableCharacter(value);
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, member] of Object.entries(value)) {
    const found = unstorableCharacter(name) ?? unstorableCharacterWithin(member);
    if (found !== null) return found;
  }
  return null;
}

const POSITION =
  /\\u(?:0000|d[89ab][\da-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][\da-f]{2}\\u)d[c-f][\da-f]{2})|\p{Surrogate}/iu;

/** Returns where a JSON text has such a character; 0 when only its value shows that. */
export function unstorablePosition(text: string): number {
  return Math.max(0, text.search(POSITION));
}

/** Throws invalid_value for a text of a part of a request that contains such a character. */
export function refuseUnstorable(text: string, part: 'body' | 'query' = 'body'): void {
  refuse(unstorableCharacter(text), part);
}

/**
 * Throws invalid_value for the text of a body which is JSON and has the escape of such a character. A text that is no JSON is
 * taken as it is. The depth of the text must be bounded.
 */
export function refuseUnstorableEscapes(text: string): void {
  if (!text.includes('\\u') || !SUSPECT_ESCAPE.test(text)) return;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return;
  }
  refuse(unstorableCharacterWithin(value), 'body');
}

function refuse(found: UnstorableCharacter | null, part: 'body' | 'query'): void {
  if (found === null) return;
  const article = found === 'NUL character' ? 'a' : 'an';
  throw new HttpError('invalid_value', `The ${part} contains ${article} ${found}.`);
}

/** The escapes of these characters, and of complete pairs. */
const SUSPECT_ESCAPE = /\\u(?:0000|d[89a-f])/i;

/**
 * As `unstorableCharacterWithin`, for a value that was parsed from a JSON text. Such a character is nearly always an escape,
 * and searching the text costs less than visiting the value.
 */
export function unstorableCharacterInJson(text: string, value: unknown): UnstorableCharacter | null {
  const isSuspect = (text.includes('\\u') && SUSPECT_ESCAPE.test(text)) || !text.isWellFormed();
  return isSuspect ? unstorableCharacterWithin(value) : null;
}

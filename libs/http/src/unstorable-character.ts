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

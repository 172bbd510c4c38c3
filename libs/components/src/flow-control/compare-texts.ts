import { parseRegex, PythonRegexError } from '@millrace/python-text';

/** The operators for two texts; an unknown operator is never true. */
export const textOperators = [
  'equals',
  'not equals',
  'contains',
  'starts with',
  'ends with',
  'regex',
  'less than',
  'less than or equal',
  'greater than',
  'greater than or equal',
] as const;

/** Compares a text with another. `caseSensitive` does not apply to patterns. */
export function compareTexts(
  operator: string,
  [text, other]: readonly [string, string],
  { caseSensitive }: { readonly caseSensitive: boolean },
): boolean {
  if (operator === 'regex') return matches(text, other);
  const [one, two] = caseSensitive ? [text, other] : [text.toLowerCase(), other.toLowerCase()];
  switch (operator) {
    case 'equals':
      return one === two;
    case 'not equals':
      return one !== two;
    case 'contains':
      return one.includes(two);
    case 'starts with':
      return one.startsWith(two);
    case 'ends with':
      return one.endsWith(two);
    case 'less than':
      return numberOf(text) < numberOf(other);
    case 'less than or equal':
      return numberOf(text) <= numberOf(other);
    case 'greater than':
      return numberOf(text) > numberOf(other);
    case 'greater than or equal':
      return numberOf(text) >= numberOf(other);
    default:
      return false;
  }
}

/** A pattern must match from the beginning of the text, not to its end; an invalid one matches nothing. */
function matches(text: string, pattern: string): boolean {
  try {
    return parseRegex(pattern).matchesStart(text);
  } catch (error) {
    if (error instanceof PythonRegexError) return false;
    throw error;
  }
}

const digits = '\\d+(?:_\\d+)*';
const decimal = new RegExp(
  `^[+-]?(?:${digits}(?:\\.(?:${digits})?)?|\\.${digits})(?:e[+-]?${digits})?$`,
  'i',
);
const infinity = /^([+-]?)inf(?:inity)?$/i;

/** Parses a number like Python's `float`; other text is NaN, for which no comparison is true. */
function numberOf(text: string): number {
  const trimmed = text.trim();
  const sign = infinity.exec(trimmed)?.[1];
  if (sign !== undefined) return sign === '-' ? -Infinity : Infinity;
  return decimal.test(trimmed) ? Number(trimmed.replaceAll('_', '')) : Number.NaN;
}

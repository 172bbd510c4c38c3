import { PythonRegexError, regexErrorAt } from './python-regex-error';

/** A parsed escape sequence. */
export type RegexEscape = (
  | { readonly kind: 'character'; readonly codePoint: number }
  | { readonly kind: 'class'; readonly letter: string }
  | { readonly kind: 'anchor'; readonly letter: string }
) & {
  /** Offset after the escape. */
  readonly end: number;
};

const controls: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const hexLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** Parses the escape that begins at `start`; throws a PythonRegexError. Inside a set, `\b` is a backspace. */
export function readRegexEscape(pattern: string, start: number, insideSet: boolean): RegexEscape {
  const letter = pattern.codePointAt(start + 1);
  if (letter === undefined) throw regexErrorAt('bad escape (end of pattern)', pattern, start);
  const text = String.fromCodePoint(letter);
  const end = start + 1 + text.length;
  if ('dDwWsS'.includes(text)) return { kind: 'class', letter: text, end };
  if (insideSet && text === 'b') return { kind: 'character', codePoint: 8, end };
  if (!insideSet && 'AbBZ'.includes(text)) return { kind: 'anchor', letter: text, end };
  const control = controls[text];
  if (control !== undefined) return { kind: 'character', codePoint: control, end };
  if (text in hexLengths) return hexEscape(pattern, start);
  if (/[0-9]/.test(text)) return digitEscape(pattern, start, insideSet);
  if (/[A-Za-z]/.test(text)) throw regexErrorAt(`bad escape \\${text}`, pattern, start);
  return { kind: 'character', codePoint: letter, end };
}

function hexEscape(pattern: string, start: number): RegexEscape {
  const letter = pattern.charAt(start + 1);
  const length = hexLengths[letter] ?? 2;
  const digits = /^[0-9A-Fa-f]*/.exec(pattern.slice(start + 2, start + 2 + length))?.[0] ?? '';
  const codePoint = Number.parseInt(digits, 16);
  if (digits.length < length) throw regexErrorAt(`incomplete escape \\${letter}${digits}`, pattern, start);
  if (codePoint > 0x10ffff) throw regexErrorAt(`bad escape \\${letter}${digits}`, pattern, start);
  return { kind: 'character', codePoint, end: start + 2 + length };
}

/** Parses an octal number: it begins with 0, has three digits, or is inside a set. Other numbers refer to groups. */
function digitEscape(pattern: string, start: number, insideSet: boolean): RegexEscape {
  const digits =
    /^(?:0[0-7]{0,2}|[0-3][0-7]{2})/.exec(pattern.slice(start + 1, start + 4))?.[0] ??
    (insideSet ? /^[0-7]{1,3}/.exec(pattern.slice(start + 1, start + 4))?.[0] : undefined);
  if (digits !== undefined) {
    return { kind: 'character', codePoint: Number.parseInt(digits, 8), end: start + 1 + digits.length };
  }
  if (insideSet) throw regexErrorAt(`bad escape \\${pattern.charAt(start + 1)}`, pattern, start);
  throw new PythonRegexError('references to groups are not supported in a linear-time search');
}

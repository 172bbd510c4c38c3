import { PythonFormatError } from './python-format-error';

/** A replacement field in a pattern: `{name!conversion:specification}`. */
export interface ReplacementField {
  readonly name: string;
  /** One character, or null. */
  readonly conversion: string | null;
  /** Can contain replacement fields. */
  readonly specification: string;
}

/** Literal text, a field, or the error at this point of the pattern. */
export type PatternPart = string | ReplacementField | PythonFormatError;

/**
 * Splits a pattern of Python's `str.format` into text and replacement fields, in linear time. Never throws: an error is
 * the last part, so that the parts before it are formatted first, as in Python.
 */
export function splitPattern(pattern: string): readonly PatternPart[] {
  const parts: PatternPart[] = [];
  const braces = /[{}]/g;
  let offset = 0;
  while (offset < pattern.length) {
    braces.lastIndex = offset;
    const brace = braces.exec(pattern)?.index;
    if (brace === undefined) return [...parts, pattern.slice(offset)];
    const character = pattern.charAt(brace);
    const doubled = pattern[brace + 1] === character;
    if (!doubled && (character === '}' || brace + 1 === pattern.length)) {
      return [...parts, fault(`Single '${character}' encountered in format string`)];
    }
    parts.push(pattern.slice(offset, doubled ? brace + 1 : brace));
    offset = brace + 2;
    if (doubled) continue;
    const parsed = parseField(pattern, brace + 1);
    if (parsed instanceof PythonFormatError) return [...parts, parsed];
    parts.push(parsed.field);
    offset = parsed.end;
  }
  return parts;
}

type ParsedField = { readonly field: ReplacementField; readonly end: number };

function parseField(pattern: string, begin: number): ParsedField | PythonFormatError {
  const nameEnd = endOfName(pattern, begin);
  if (nameEnd === -1) return fault("expected '}' before end of string");
  const name = pattern.slice(begin, nameEnd);
  switch (pattern[nameEnd]) {
    case '{':
      return fault("unexpected '{' in field name");
    case '}':
      return { field: { name, conversion: null, specification: '' }, end: nameEnd + 1 };
    case '!':
      return parseConversion(pattern, name, nameEnd + 1);
    default:
      return parseSpecification(pattern, { name, conversion: null }, nameEnd + 1);
  }
}

/** Returns the end of the name: a colon, an exclamation mark or a brace outside of brackets. */
function endOfName(pattern: string, begin: number): number {
  for (let offset = begin; offset < pattern.length; offset += 1) {
    const character = pattern.charAt(offset);
    if ('{}:!'.includes(character)) return offset;
    if (character !== '[') continue;
    offset = pattern.indexOf(']', offset);
    if (offset === -1) return -1;
  }
  return -1;
}

function parseConversion(pattern: string, name: string, begin: number): ParsedField | PythonFormatError {
  const codePoint = pattern.codePointAt(begin);
  if (codePoint === undefined) return fault('end of string while looking for conversion specifier');
  const conversion = String.fromCodePoint(codePoint);
  const next = begin + conversion.length;
  if (pattern[next] === '}') return { field: { name, conversion, specification: '' }, end: next + 1 };
  if (next < pattern.length && pattern[next] !== ':') return fault("expected ':' after conversion specifier");
  return parseSpecification(pattern, { name, conversion }, next + 1);
}

function parseSpecification(
  pattern: string,
  field: Pick<ReplacementField, 'name' | 'conversion'>,
  begin: number,
): ParsedField | PythonFormatError {
  let open = 1;
  for (let offset = begin; offset < pattern.length; offset += 1) {
    if (pattern[offset] === '{') open += 1;
    if (pattern[offset] === '}') open -= 1;
    if (open === 0)
      return { field: { ...field, specification: pattern.slice(begin, offset) }, end: offset + 1 };
  }
  return fault("unmatched '{' in format spec");
}

function fault(message: string): PythonFormatError {
  return new PythonFormatError('ValueError', message);
}

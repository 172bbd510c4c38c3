import { parseFieldName } from './field-name';
import { splitPattern } from './format-pattern';
import { formatValue } from './format-value';
import { lookUpMember } from './member';
import { PythonFormatError } from './python-format-error';
import { repr } from '../repr/repr';
import { str } from '../repr/str';
import { asciiOnly } from '../repr/string-repr';
import { checkTextLength } from './text-limit';
import type { FieldName } from './field-name';
import type { PythonValue } from '../values/python-value';

/** Returns the value of a name in a pattern; can throw a PythonFormatError, such as `missingKey(name)`. */
export type Lookup = (name: string) => PythonValue;

export interface FormatOptions {
  /** Meaning of `{}` and `{0}`: refused, as by `format_map` (the default), or missing, as by `format(**values)`. */
  readonly positional?: 'refused' | 'missing';
}

/** A parsed pattern of Python's `str.format`. */
export interface ParsedFormat {
  /** Formats the pattern; throws Python's errors as PythonFormatErrors, in Python's order. */
  format(lookup: Lookup, options?: FormatOptions): string;
}

/**
 * Parses a pattern of Python's `str.format`. Never throws: `format` throws the error of an invalid pattern after it
 * formatted the parts before it, as in Python.
 */
export function parseFormat(pattern: string): ParsedFormat {
  const segments = compiled(pattern, 2);
  return {
    format: (lookup, options = {}) => filled(segments, lookup, options.positional ?? 'refused'),
  };
}

/** Returns the error for an unknown name: Python's KeyError. */
export function missingKey(name: string): PythonFormatError {
  return new PythonFormatError('KeyError', repr(name));
}

type Segment = string | Field | PythonFormatError;

interface Field {
  readonly name: FieldName;
  readonly conversion: string | null;
  /** A plain specification, or the segments of one that contains fields. */
  readonly specification: string | readonly Segment[];
}

function filled(segments: readonly Segment[], lookup: Lookup, positional: 'refused' | 'missing'): string {
  let text = '';
  for (const segment of segments) {
    if (typeof segment === 'string') text += segment;
    else if (segment instanceof PythonFormatError) throw repeated(segment);
    else text += fieldText(segment, lookup, positional);
    checkTextLength(text.length);
  }
  return text;
}

function fieldText(field: Field, lookup: Lookup, positional: 'refused' | 'missing'): string {
  const value = converted(resolved(field.name, lookup, positional), field.conversion);
  const { specification } = field;
  return formatValue(
    value,
    typeof specification === 'string' ? specification : filled(specification, lookup, positional),
  );
}

function resolved(name: FieldName, lookup: Lookup, positional: 'refused' | 'missing'): PythonValue {
  if (name.fault !== null) throw repeated(name.fault);
  if (name.index !== null) {
    if (positional === 'refused') {
      throw new PythonFormatError('ValueError', 'Format string contains positional fields');
    }
    const message = `Replacement index ${name.index} out of range for positional args tuple`;
    throw new PythonFormatError('IndexError', message);
  }
  let value = lookup(name.first);
  for (const step of name.steps) {
    if (step instanceof PythonFormatError) throw repeated(step);
    value = lookUpMember(value, step);
  }
  return value;
}

function converted(value: PythonValue, conversion: string | null): PythonValue {
  switch (conversion) {
    case null:
      return value;
    case 's':
      return str(value);
    case 'r':
      return repr(value);
    case 'a':
      return asciiOnly(repr(value));
    default: {
      const code = conversion.codePointAt(0) ?? 0;
      const shown = code > 32 && code < 127 ? conversion : `\\x${code.toString(16)}`;
      throw new PythonFormatError('ValueError', `Unknown conversion specifier ${shown}`);
    }
  }
}

// A pattern is parsed once, and its error is thrown on each use, every time with a new stack.
function repeated(fault: PythonFormatError): PythonFormatError {
  return new PythonFormatError(fault.kind, fault.message);
}

function compiled(pattern: string, depth: number): readonly Segment[] {
  if (depth === 0) return [new PythonFormatError('ValueError', 'Max string recursion exceeded')];
  return splitPattern(pattern).map((part) => {
    if (typeof part === 'string' || part instanceof PythonFormatError) return part;
    const { name, conversion, specification } = part;
    return {
      name: parseFieldName(name),
      conversion,
      specification: specification.includes('{') ? compiled(specification, depth - 1) : specification,
    };
  });
}

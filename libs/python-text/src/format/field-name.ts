import { PythonFormatError } from './python-format-error';

/** One step into a value: `.name`, `[name]` or `[0]`. */
export interface MemberStep {
  readonly kind: 'attribute' | 'item';
  readonly name: string;
  /** The number between the brackets, if it is one. */
  readonly index: number | null;
}

/** The parsed name of a replacement field: `a.b[0]`. */
export interface FieldName {
  readonly first: string;
  /** Set for a positional field: `{}` or `{0}`. */
  readonly index: number | null;
  /** The steps; an error marks the place where the name becomes invalid. */
  readonly steps: readonly (MemberStep | PythonFormatError)[];
  /** The error when the first part is not a valid name. */
  readonly fault: PythonFormatError | null;
}

/** Parses the name of a replacement field. Never throws. */
export function parseFieldName(name: string): FieldName {
  const firstEnd = name.search(/[.[]/);
  const first = firstEnd === -1 ? name : name.slice(0, firstEnd);
  const steps = firstEnd === -1 ? [] : parseSteps(name, firstEnd);
  if (first === '') return { first, index: 0, steps, fault: null };
  const index = integer(first);
  if (index instanceof PythonFormatError) return { first, index: null, steps, fault: index };
  return { first, index, steps, fault: null };
}

function parseSteps(name: string, begin: number): (MemberStep | PythonFormatError)[] {
  const steps: (MemberStep | PythonFormatError)[] = [];
  let offset = begin;
  while (offset < name.length) {
    const { step, end } = name[offset] === '.' ? attributeStep(name, offset + 1) : itemStep(name, offset);
    steps.push(step);
    if (step instanceof PythonFormatError) return steps;
    offset = end;
  }
  return steps;
}

type ParsedStep = { readonly step: MemberStep | PythonFormatError; readonly end: number };

function attributeStep(name: string, begin: number): ParsedStep {
  const length = name.slice(begin).search(/[.[]/);
  const end = length === -1 ? name.length : begin + length;
  const attribute = name.slice(begin, end);
  return {
    step: attribute === '' ? emptyAttribute() : { kind: 'attribute', name: attribute, index: null },
    end,
  };
}

function itemStep(name: string, begin: number): ParsedStep {
  const end = name.length;
  if (name[begin] !== '[') {
    return { step: fault("Only '.' or '[' may follow ']' in format field specifier"), end };
  }
  const closing = name.indexOf(']', begin + 1);
  if (closing === -1) return { step: fault("Missing ']' in format string"), end };
  const item = name.slice(begin + 1, closing);
  if (item === '') return { step: emptyAttribute(), end };
  const index = integer(item);
  if (index instanceof PythonFormatError) return { step: index, end };
  return { step: { kind: 'item', name: item, index }, end: closing + 1 };
}

function integer(text: string): number | null | PythonFormatError {
  if (!/^[0-9]+$/.test(text)) return null;
  const value = BigInt(text.slice(0, 30));
  const tooLarge = text.length > 30 || value > 0x7fffffffffffffffn;
  return tooLarge ? fault('Too many decimal digits in format string') : Number(value);
}

function emptyAttribute(): PythonFormatError {
  return fault('Empty attribute in format string');
}

function fault(message: string): PythonFormatError {
  return new PythonFormatError('ValueError', message);
}

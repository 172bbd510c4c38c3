import { formatFloat } from './format-float';
import { layOutNumber } from './format-number';
import { unknownFormatCode } from './format-spec';
import { padded } from './format-text';
import { PythonFormatError } from './python-format-error';
import type { FormatSpec } from './format-spec';

const radixes: Readonly<Record<string, { readonly radix: number; readonly prefix: string }>> = {
  b: { radix: 2, prefix: '0b' },
  o: { radix: 8, prefix: '0o' },
  x: { radix: 16, prefix: '0x' },
  X: { radix: 16, prefix: '0X' },
};

/** Formats an integer (or a boolean, which is an integer in Python) by a format specification. */
export function formatInteger(value: bigint, spec: FormatSpec, className: string): string {
  const type = spec.type ?? 'd';
  if ('eEfFgG%'.includes(type)) return formatFloat(asFloat(value), spec);
  if (!'bcdoxXn'.includes(type)) throw unknownFormatCode(type, className);
  if (spec.precision !== null) refuse('Precision not allowed in integer format specifier');
  if (spec.coercesNegativeZero) refuse('Negative zero coercion (z) not allowed in integer format specifier');
  if (type === 'c') return formatCharacter(value, spec);
  const magnitude = value < 0n ? -value : value;
  const { radix, prefix } = radixes[type] ?? { radix: 10, prefix: '' };
  const digits = magnitude.toString(radix);
  return layOutNumber(
    {
      negative: value < 0n,
      prefix: spec.alternate ? prefix : '',
      digits: type === 'X' ? digits.toUpperCase() : digits,
      rest: '',
    },
    spec,
  );
}

function formatCharacter(value: bigint, spec: FormatSpec): string {
  if (spec.sign !== '') refuse("Sign not allowed with integer format specifier 'c'");
  if (spec.alternate) refuse("Alternate form (#) not allowed with integer format specifier 'c'");
  if (BigInt.asIntN(64, value) !== value) overflow('Python int too large to convert to C long');
  if (value < 0n || value > 0x10ffffn) overflow('%c arg not in range(0x110000)');
  return padded(String.fromCodePoint(Number(value)), spec);
}

function asFloat(value: bigint): number {
  const float = Number(value);
  if (Number.isFinite(float)) return float;
  return overflow('int too large to convert to float');
}

function refuse(message: string): never {
  throw new PythonFormatError('ValueError', message);
}

function overflow(message: string): never {
  throw new PythonFormatError('OverflowError', message);
}

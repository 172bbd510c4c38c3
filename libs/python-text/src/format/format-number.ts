import { padded } from './format-text';
import type { FormatSpec } from './format-spec';

/** The parts of a number to format: `-`, `0x`, `1234`, `.50e+03`. */
export interface NumberParts {
  readonly negative: boolean;
  readonly prefix: string;
  /** The digits before the point, which separators group. */
  readonly digits: string;
  readonly rest: string;
}

/** Formats a number by a format specification: sign, prefix, separators, zeros or fill. */
export function layOutNumber({ negative, prefix, digits, rest }: NumberParts, spec: FormatSpec): string {
  const sign = negative ? '-' : spec.sign === '-' ? '' : spec.sign;
  const fixedLength = sign.length + prefix.length + rest.length;
  // Padding zeros after the sign are digits: separators group them too.
  const minimum = spec.align === '=' && spec.fill === '0' ? spec.width - fixedLength : 0;
  const grouped = group(digits, spec, minimum);
  if (spec.align !== '=') return padded(sign + prefix + grouped + rest, spec);
  const missing = Math.max(0, spec.width - fixedLength - grouped.length);
  return sign + prefix + spec.fill.repeat(missing) + grouped + rest;
}

function group(digits: string, spec: FormatSpec, minimum: number): string {
  if (spec.separator === '' || !/^[0-9a-fA-F]+$/.test(digits)) return digits.padStart(minimum, '0');
  const size = spec.type !== null && 'boxX'.includes(spec.type) ? 4 : 3;
  const wanted = Math.max(digits.length, digitsFor(minimum, size));
  return separated(digits.padStart(wanted, '0'), size, spec.separator);
}

/**
 * Returns how many digits fill at least `places` characters, including separators between groups; the result never
 * begins with a separator.
 */
function digitsFor(places: number, size: number): number {
  if (places <= 0) return 0;
  const groups = Math.floor(places / (size + 1));
  const remainder = places - groups * (size + 1);
  return groups * size + (remainder === 0 && groups > 0 ? 1 : remainder);
}

function separated(digits: string, size: number, separator: string): string {
  const first = digits.length % size || size;
  const groups = [digits.slice(0, first)];
  for (let index = first; index < digits.length; index += size)
    groups.push(digits.slice(index, index + size));
  return groups.join(separator);
}

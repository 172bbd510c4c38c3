import { PythonFormatError } from './python-format-error';
import { codePointCount } from '../text/code-points';
import { unknownFormatCode } from './format-spec';
import type { FormatSpec } from './format-spec';

/** Formats a string by a format specification: truncated to its precision and padded to its width. */
export function formatText(text: string, spec: FormatSpec): string {
  refuse(spec);
  const shown = spec.precision === null ? text : cut(text, spec.precision);
  return padded(shown, spec);
}

/** Pads a text to the specification's width, counted in code points. */
export function padded(text: string, { fill, align, width }: FormatSpec): string {
  const missing = width - codePointCount(text);
  if (missing <= 0) return text;
  const left = align === '<' ? 0 : align === '^' ? Math.floor(missing / 2) : missing;
  return fill.repeat(left) + text + fill.repeat(missing - left);
}

function refuse({ type, sign, coercesNegativeZero, alternate, align }: FormatSpec): void {
  if (type !== null && type !== 's') throw unknownFormatCode(type, 'str');
  const what =
    sign === ' '
      ? 'Space'
      : sign !== ''
        ? 'Sign'
        : coercesNegativeZero
          ? 'Negative zero coercion (z)'
          : alternate
            ? 'Alternate form (#)'
            : align === '='
              ? "'=' alignment"
              : null;
  if (what !== null)
    throw new PythonFormatError('ValueError', `${what} not allowed in string format specifier`);
}

function cut(text: string, codePoints: number): string {
  // A text has at most as many code points as code units, and at most two units per code point.
  if (text.length <= codePoints) return text;
  return Array.from(text.slice(0, 2 * codePoints))
    .slice(0, codePoints)
    .join('');
}

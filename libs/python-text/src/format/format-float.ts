import { fixedDigits, significantDigits } from '../numbers/exact-decimal';
import { layOutNumber } from './format-number';
import { unknownFormatCode } from './format-spec';
import { floatRepr, pythonExponent } from '../numbers/float-repr';
import type { FormatSpec } from './format-spec';

/** Formats a float by a format specification, with exactly the digits of Python. */
export function formatFloat(value: number, spec: FormatSpec): string {
  if (spec.type !== null && !'eEfFgGn%'.includes(spec.type)) throw unknownFormatCode(spec.type, 'float');
  const magnitude = Math.abs(spec.type === '%' ? value * 100 : value);
  const text = Number.isFinite(magnitude) ? finiteText(magnitude, spec) : Number.isNaN(value) ? 'nan' : 'inf';
  const shown = spec.type !== null && 'EFG'.includes(spec.type) ? text.toUpperCase() : text;
  const wholeDigits = /^[0-9]*/.exec(shown)?.[0] ?? '';
  const digits = wholeDigits === '' ? shown : wholeDigits;
  const rest = shown.slice(digits.length) + (spec.type === '%' ? '%' : '');
  return layOutNumber({ negative: isNegative(value, shown, spec), prefix: '', digits, rest }, spec);
}

function isNegative(value: number, shown: string, spec: FormatSpec): boolean {
  const negative = value < 0 || Object.is(value, -0);
  return (
    negative &&
    !(spec.coercesNegativeZero && !/[1-9]/.test(shown.split(/e/i)[0] ?? '') && !/[in]/i.test(shown))
  );
}

function finiteText(magnitude: number, spec: FormatSpec): string {
  switch (spec.type?.toLowerCase()) {
    case 'f':
    case '%':
      return withPoint(fixedDigits(magnitude, spec.precision ?? 6), spec.alternate);
    case 'e':
      return exponentialText(significantDigits(magnitude, (spec.precision ?? 6) + 1), spec.alternate);
    case 'g':
    case 'n':
      return generalText(magnitude, spec.precision ?? 6, spec.alternate, false);
    default:
      if (spec.precision !== null) return generalText(magnitude, spec.precision, spec.alternate, true);
      return spec.alternate ? withPoint(floatRepr(magnitude), true) : floatRepr(magnitude);
  }
}

/** Formats type `g`, or no type (`keepsPoint`): without an exponent where that is short, without trailing zeros. */
function generalText(magnitude: number, precision: number, alternate: boolean, keepsPoint: boolean): string {
  const count = Math.max(precision, 1);
  const { digits, exponent } = significantDigits(magnitude, count);
  const kept = alternate ? digits : digits.replace(/0+$/, '');
  const limit = keepsPoint ? count - 1 : count;
  if (exponent < -4 || exponent >= limit)
    return exponentialText({ digits: kept || '0', exponent }, alternate);
  const whole = exponent < 0 ? '0' : kept.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = exponent < 0 ? '0'.repeat(-exponent - 1) + kept : kept.slice(exponent + 1);
  if (fraction !== '') return `${whole}.${fraction}`;
  return keepsPoint ? `${whole}.0` : withPoint(whole, alternate);
}

function exponentialText(
  { digits, exponent }: { readonly digits: string; readonly exponent: number },
  alternate: boolean,
): string {
  const first = digits.slice(0, 1);
  const rest = digits.slice(1);
  return `${rest === '' ? withPoint(first, alternate) : `${first}.${rest}`}e${pythonExponent(exponent)}`;
}

function withPoint(text: string, wanted: boolean): string {
  return !wanted || text.includes('.') ? text : text.replace(/^[0-9]*/, '$&.');
}

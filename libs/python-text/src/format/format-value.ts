import { formatFloat } from './format-float';
import { formatInteger } from './format-integer';
import { parseFormatSpec } from './format-spec';
import { formatText } from './format-text';
import { PythonFloat } from '../values/python-float';
import { PythonFormatError } from './python-format-error';
import { str } from '../repr/str';
import { typeName } from '../values/type-name';
import type { PythonValue } from '../values/python-value';

/** Returns the result of Python's `format(value, specification)`; throws a PythonFormatError. */
export function formatValue(value: PythonValue, specification: string): string {
  if (specification === '') return str(value);
  const className = typeName(value);
  if (typeof value === 'string') return formatText(value, parseFormatSpec(specification, className));
  if (typeof value === 'number' && !Number.isInteger(value)) {
    return formatFloat(value, parseFormatSpec(specification, className));
  }
  if (value instanceof PythonFloat)
    return formatFloat(value.value, parseFormatSpec(specification, className));
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') {
    return formatInteger(BigInt(value), parseFormatSpec(specification, className), className);
  }
  throw new PythonFormatError('TypeError', `unsupported format string passed to ${className}.__format__`);
}

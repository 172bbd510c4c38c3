import { isDict } from '@millrace/flow';
import { literalEval } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';

/** Returns a value in which every text that is a Python literal, at any depth, is replaced by the literal's value. */
export function evaluateLiterals(value: PythonValue): PythonValue {
  if (typeof value === 'string') {
    const literal = literalEval(value);
    return literal === undefined ? value : literal;
  }
  if (Array.isArray(value)) return value.map((item: PythonValue) => evaluateLiterals(item));
  if (!isDict(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, evaluateLiterals(member)]));
}

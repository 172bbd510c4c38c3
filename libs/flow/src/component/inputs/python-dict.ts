import { typeName } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';

/** Returns true for a Python dict: neither a list nor an instance of a value class such as Data or Message. */
export function isDict(value: PythonValue): value is PythonObject {
  return typeName(value) === 'dict';
}

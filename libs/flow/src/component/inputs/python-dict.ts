import { typeName } from '../../python/type-name';
import type { PythonObject, PythonValue } from '../../values/python-value';

/** True for what Python would call a dict: neither a list nor one of the classes that travel on wires. */
export function isDict(value: PythonValue): value is PythonObject {
  return typeName(value) === 'dict';
}

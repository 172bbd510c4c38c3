import type { PythonValue } from '../../values/python-value';
import { typeName } from '../../python/type-name';

const modules: Readonly<Record<string, string>> = {
  JSON: 'lfx.schema.data.',
  Message: 'lfx.schema.message.',
  Table: 'lfx.schema.dataframe.',
};

/** Returns a value's class as Python prints it in error texts: `<class 'int'>`. */
export function classText(value: PythonValue): string {
  const name = typeName(value);
  return `<class '${modules[name] ?? ''}${name}'>`;
}

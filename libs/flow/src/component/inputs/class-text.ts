import { typeName } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';

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

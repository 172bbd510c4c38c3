import type { PythonObject } from '@millrace/flow';

/** Fields with a text among them, taken apart. The text is '' where the fields have none. */
export function splitText(
  fields: PythonObject,
  textKey: string,
): { readonly text: string; readonly metadata: PythonObject } {
  const { [textKey]: text, ...metadata } = fields;
  return { text: typeof text === 'string' ? text : '', metadata };
}

import type { PythonObject } from '@millrace/python-text';

/** Separates the text from the other fields. The text is '' when the fields have none. */
export function separateText(
  fields: PythonObject,
  textKey: string,
): { readonly text: string; readonly metadata: PythonObject } {
  const { [textKey]: text, ...metadata } = fields;
  return { text: typeof text === 'string' ? text : '', metadata };
}

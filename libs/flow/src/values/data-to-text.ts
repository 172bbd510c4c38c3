import { parseFormat, PythonFormatError, typeName } from '@millrace/python-text';
import type { Data, PythonObject, PythonValue } from '@millrace/python-text';
import { ComponentError } from '../errors';

/**
 * Returns one text for several items: the template formatted with each item's values, joined by the separator. A `data`
 * object inside an item is merged over it, `{data}` is the whole item, missing values are empty. Throws a
 * ComponentError ("Error formatting template: …") for a template that Python's `str.format` rejects.
 */
export function dataToText(
  template: string,
  items: readonly Data[],
  separator: string | null = '\n',
): string {
  return dataToTexts(template, items).join(separator ?? '\n');
}

/** Returns the template formatted with each item's values, one text per item; see {@link dataToText}. */
export function dataToTexts(template: string, items: readonly Data[]): readonly string[] {
  const pattern = parseFormat(template);
  return items.map((item) => {
    const values = valuesOf(item.data);
    try {
      return pattern.format((name) => (Object.hasOwn(values, name) ? (values[name] ?? null) : ''));
    } catch (error) {
      if (error instanceof PythonFormatError && error.kind === 'ValueError') {
        throw new ComponentError(`Error formatting template: ${error.message}`, error);
      }
      throw error;
    }
  });
}

function valuesOf(data: PythonObject): PythonObject {
  const inner = Object.hasOwn(data, 'data') ? data['data'] : undefined;
  if (isDict(inner)) return { ...data, ...inner, data };
  const error = Object.hasOwn(data, 'error') ? data['error'] : undefined;
  return isTruthy(error) ? { ...data, text: error ?? null, data } : { ...data, data };
}

function isDict(value: PythonValue | undefined): value is PythonObject {
  return value !== undefined && typeName(value) === 'dict';
}

function isTruthy(value: PythonValue | undefined): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

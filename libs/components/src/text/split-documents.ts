import { Data, data, str } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';

const single = data();

/** Splits the text of data, one item or a list: each chunk becomes data, with the other fields of its item. */
export function splitDocuments(
  value: PythonValue,
  split: (text: string) => readonly string[],
): readonly Data[] {
  const items: readonly PythonValue[] = Array.isArray(value) ? value : [value];
  return items.flatMap((item) => {
    const { data: fields, textKey, text } = single.convert(item, 'data_input');
    const others = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== textKey));
    return split(text === null ? '' : str(text)).map((chunk) => new Data({ ...others, text: chunk }));
  });
}

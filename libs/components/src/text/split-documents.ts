import { Data, data, str } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';
import type { Sliceable } from './in-slices';

const single = data();

/** Splits the text of data, one item or a list: each chunk becomes data, with the other fields of its item. */
export function* splitDocuments(
  value: PythonValue,
  split: (text: string) => Sliceable<readonly string[]>,
): Sliceable<readonly Data[]> {
  const items: readonly PythonValue[] = Array.isArray(value) ? value : [value];
  const documents: Data[] = [];
  for (const item of items) {
    const { data: fields, textKey, text } = single.convert(item, 'data_input');
    const others = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== textKey));
    for (const chunk of yield* split(text === null ? '' : str(text))) {
      documents.push(new Data({ ...others, text: chunk }));
      yield;
    }
  }
  return documents;
}

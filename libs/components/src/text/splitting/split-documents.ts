import { data } from '@millrace/flow';
import { Data, str } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import type { InterruptibleWork } from '../../parsing/run-in-slices';

const single = data();

/** Splits the text of one or more data items; each chunk becomes data with the other fields of its item. */
export function* splitDocuments(
  value: PythonValue,
  split: (text: string) => InterruptibleWork<readonly string[]>,
): InterruptibleWork<readonly Data[]> {
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

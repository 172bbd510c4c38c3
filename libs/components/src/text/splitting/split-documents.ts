import { ComponentError, data, isDict } from '@millrace/flow';
import { Data, str } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import type { InterruptibleWork } from '../../parsing/run-in-slices';
import type { TextItem } from './text-items';

type Split = (text: string) => InterruptibleWork<readonly string[]>;

const single = data();
/** Each chunk repeats the other fields of its item. */
const maximumCharacters = 100_000_000;
/** What a value counts in addition to its text. */
const charactersOfValue = 8;

/** Splits the text of one or more data items; each chunk becomes data with the other fields of its item. */
export function* splitDocuments(value: PythonValue, split: Split): InterruptibleWork<readonly Data[]> {
  const items: readonly PythonValue[] = Array.isArray(value) ? value : [value];
  return yield* splitItems(
    items.map((item) => {
      const { data: fields, textKey, text } = single.convert(item, 'data_input');
      const others = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== textKey));
      return { text: text === null ? '' : str(text), others };
    }),
    split,
  );
}

/** Splits texts as `splitDocuments` does. Throws a ComponentError when the chunks hold too much. */
export function* splitItems(items: readonly TextItem[], split: Split): InterruptibleWork<readonly Data[]> {
  const chunks: Data[] = [];
  let characters = 0;
  for (const { text, others } of items) {
    const repeated = sizeOf(others);
    for (const chunk of yield* split(text)) {
      characters += repeated + chunk.length;
      if (characters > maximumCharacters) {
        throw new ComponentError(
          `The chunks and their fields hold more than ${maximumCharacters} characters.`,
        );
      }
      chunks.push(new Data({ ...others, text: chunk }));
      yield;
    }
  }
  return chunks;
}

function sizeOf(value: PythonValue): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof Data) return sizeOf(value.data);
  let size = charactersOfValue;
  if (Array.isArray(value)) for (const item of value as readonly PythonValue[]) size += sizeOf(item);
  else if (isDict(value))
    for (const [name, member] of Object.entries(value)) size += name.length + sizeOf(member);
  return size;
}

import { createHash } from 'node:crypto';
import { ComponentError, isDict } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import {
  Data,
  DataFrame,
  Message,
  jsonDumpsCompactAscii,
  messageMembers,
  storableText,
  str,
  tableRecords,
} from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { jsonMetadata } from '../../integrations/vector-stores/json-metadata';
import type { NewText } from '../../integrations/vector-stores/vector-store';

/**
 * Returns the texts of the values that are connected to `ingest_data`: the text of each data item, with its other
 * fields as metadata; each row of a table counts as data.
 */
export function ingestedTexts(values: readonly PythonValue[], context: ComponentContext): readonly NewText[] {
  return values.flatMap(itemsOf).map(({ data, textKey, text }, index) => {
    const others = Object.fromEntries(Object.entries(data).filter(([name]) => name !== textKey));
    const metadata = jsonMetadata(others);
    const content = text === null || Number.isNaN(text) ? '' : storableText(str(text));
    return { id: idOf(context, index, content, metadata), text: content, metadata };
  });
}

function itemsOf(value: PythonValue): readonly Data[] {
  if (value instanceof Data) return [value];
  if (value instanceof Message) return [new Data(messageMembers(value))];
  if (value instanceof DataFrame) return tableRecords(value).map((row) => new Data(row));
  if (isDict(value)) return [new Data(value)];
  throw new ComponentError('Vector Store Inputs must be Data objects.');
}

function idOf(
  { run, vertex }: ComponentContext,
  index: number,
  text: string,
  metadata: PythonObject,
): string {
  const hex = createHash('sha256')
    .update([run.id, vertex.id, index, jsonDumpsCompactAscii(metadata), text].join('\n'))
    .digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

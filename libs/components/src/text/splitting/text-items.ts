import { ComponentError, typeErrorOf } from '@millrace/flow';
import { Data, DataFrame, Message, messageMembers, str, tableRecords, typeName } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';

/** A text with its other fields. */
export interface TextItem {
  readonly text: string;
  readonly others: PythonObject;
}

/**
 * Returns the texts of a connected value: of a message, of data or each item of a list, of each row of a table. Throws
 * a ComponentError when there is none.
 */
export function textItems(value: PythonValue, textKey: string): readonly TextItem[] {
  if (value instanceof DataFrame) return rowItems(value, textKey);
  if (!Array.isArray(value)) {
    const item = textItem(value, textKey);
    if (item === null) throw typeErrorOf('split_text', `Unsupported input type: ${typeName(value)}`);
    return [item];
  }
  if (value.length === 0) throw typeErrorOf('split_text', 'No data inputs provided');
  const items = value.map((item: PythonValue) => textItem(item, textKey)).filter((item) => item !== null);
  if (items.length === 0) throw typeErrorOf('split_text', `No valid Data inputs found in ${typeName(value)}`);
  return items;
}

function rowItems(table: DataFrame, textKey: string): readonly TextItem[] {
  if (table.rows.length === 0) throw typeErrorOf('split_text', 'DataFrame is empty');
  if (!table.columns.includes(textKey)) {
    throw new ComponentError(`Text key '${textKey}' not found in Table columns`);
  }
  return tableRecords(table).map((row) => fieldItem(row, textKey));
}

function textItem(value: PythonValue, textKey: string): TextItem | null {
  if (value instanceof Message) return fieldItem(messageMembers(value), 'text');
  return value instanceof Data ? fieldItem(value.data, textKey) : null;
}

function fieldItem(fields: PythonObject, textKey: string): TextItem {
  const text = Object.hasOwn(fields, textKey) ? (fields[textKey] ?? '') : '';
  const others = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== textKey));
  return { text: Number.isNaN(text) ? '' : str(text), others };
}

import { Data, DataFrame, Message, markdownTable, repr, typeName, tableRecords } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { cleanTable, mapTexts } from './clean-table';
import { ComponentError } from '../errors';

/**
 * Converts any of the three types, a text or a dict to a Message. A Data gives the text under its key, or Python's
 * `repr` of its object without such a key; a table becomes Markdown.
 */
export function toMessage(value: PythonValue): Message {
  if (value instanceof Message) return value;
  if (typeof value === 'string') return new Message({ text: value });
  if (value instanceof Data) return new Message({ text: dataText(value) });
  if (value instanceof DataFrame) return new Message({ text: tableMessageText(value) });
  if (isDict(value)) return toMessage(new Data(value));
  throw unexpected(value);
}

/**
 * Converts any of the three types, a text or a dict to a Data; a table gives `{"results": […]}`, a Message or a text
 * `{"text": …}`.
 */
export function toData(value: PythonValue): Data {
  if (value instanceof Data) return value;
  if (value instanceof Message) return new Data({ text: value.text });
  if (typeof value === 'string') return new Data({ text: value });
  if (value instanceof DataFrame) return new Data({ results: tableRecords(value) });
  if (isDict(value)) return new Data(value);
  throw unexpected(value);
}

/**
 * Converts any of the three types, a text, a dict or a list of them to a table. A Data whose only member is a list of
 * objects gives those as rows, any other Data one row.
 */
export function toDataFrame(value: PythonValue): DataFrame {
  if (value instanceof DataFrame) return value;
  if (value instanceof Message) return new DataFrame([{ text: value.text }]);
  if (typeof value === 'string') return new DataFrame([{ text: value }]);
  if (value instanceof Data) return new DataFrame(dataRows(value.data));
  if (Array.isArray(value)) return new DataFrame(listRows(value));
  if (isDict(value)) return toDataFrame(new Data(value));
  throw unexpected(value);
}

function dataText(value: Data): string {
  if (!Object.hasOwn(value.data, value.textKey)) return repr(value.data);
  const { text } = value;
  return typeof text === 'string' ? text : repr(text);
}

// Escapes characters that would break the table's lines in a chat.
function tableMessageText(table: DataFrame): string {
  return markdownTable(
    mapTexts(cleanTable(table), (text) => text.replaceAll('|', '\\|').replaceAll('\n', '<br/>')),
  );
}

function dataRows(data: PythonObject): readonly PythonObject[] {
  const [only, ...others] = Object.values(data);
  if (others.length > 0 || !Array.isArray(only) || only.length === 0) return [data];
  const rows: readonly PythonValue[] = only;
  return rows.every(isDict) ? rows : [data];
}

function listRows(items: readonly PythonValue[]): readonly PythonObject[] {
  const rows = items.map((item) => (item instanceof Data ? item.data : item));
  if (rows.every(isDict)) return rows;
  throw new ComponentError('List items must be either all Data objects or all dictionaries');
}

function isDict(value: PythonValue): value is PythonObject {
  return typeName(value) === 'dict';
}

function unexpected(value: PythonValue): ComponentError {
  return new ComponentError(`Expected Data or DataFrame or Message or str, got ${typeName(value)}`);
}

import {
  jsonDumpsIndented,
  markdownTable,
  orjsonIndented,
  parsePythonJson,
  PythonJsonError,
  tableRecords,
} from '@millrace/python-text';
import type { DataFrame, PythonValue } from '@millrace/python-text';
import { csvText } from './csv-text';
import { contentTable } from './saved-content';
import type { SavedContent } from './saved-content';
import { tableHtml } from './table-html';
import { plainRecords, tableJson } from './table-json';

/** Returns the new text of a file; `before` is the existing text to append to, null for a new file. */
export type WriteText = (content: SavedContent, before: string | null) => string;

/** The text formats; a spreadsheet is written separately. */
export const textFormats: Readonly<Record<string, WriteText>> = {
  txt: (content, before) => appended(before, '\n', messageText(content)),
  markdown: (content, before) => appended(before, '\n\n', markdownText(content)),
  html: (content, before) =>
    appended(before, '\n', content.kind === 'Message' ? content.text : tableHtml(tableOf(content))),
  csv: (content, before) => {
    const table = tableOf(content);
    const rows = tableRecords(table).map((record) => Object.values(record));
    return before === null ? csvText([table.columns, ...rows]) : before + csvText(rows);
  },
  json: (content, before) =>
    before === null ? newJson(content) : jsonDumpsIndented([...jsonItems(before), ...newItems(content)], 2),
};

/** Returns the content as a table; a message becomes one row. */
export function tableOf(content: SavedContent): DataFrame {
  return content.kind === 'Message'
    ? contentTable({ kind: 'Data', data: { message: content.text } })
    : contentTable(content);
}

function appended(before: string | null, separator: string, text: string): string {
  return before === null ? text : before + separator + text;
}

function messageText(content: SavedContent): string {
  return content.kind === 'Message' ? content.text : markdownTable(tableOf(content));
}

function markdownText(content: SavedContent): string {
  return content.kind === 'Message' ? `**Message:**\n\n${content.text}` : markdownTable(tableOf(content));
}

function newJson(content: SavedContent): string {
  if (content.kind === 'DataFrame') return tableJson(content.table);
  return content.kind === 'Data'
    ? orjsonIndented(content.data)
    : jsonDumpsIndented({ message: content.text }, 2);
}

function newItems(content: SavedContent): readonly PythonValue[] {
  if (content.kind === 'DataFrame') return plainRecords(content.table);
  return [content.kind === 'Data' ? content.data : { message: content.text }];
}

/** Returns the content of a JSON file as a list; invalid JSON is an empty list. */
function jsonItems(text: string): readonly PythonValue[] {
  try {
    const value = parsePythonJson(text);
    if (Array.isArray(value)) return value as readonly PythonValue[];
    return typeof value === 'object' && value !== null ? [value] : [];
  } catch (error) {
    if (error instanceof PythonJsonError) return [];
    throw error;
  }
}

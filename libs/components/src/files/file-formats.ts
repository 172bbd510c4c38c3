import {
  jsonDumpsIndented,
  markdownTable,
  orjsonIndented,
  parsePythonJson,
  PythonJsonError,
  tableRecords,
} from '@millrace/flow';
import type { DataFrame, PythonValue } from '@millrace/flow';
import { csvText } from './csv-text';
import { contentTable } from './saved-content';
import type { SavedContent } from './saved-content';
import { tableHtml } from './table-html';
import { plainRecords, tableJson } from './table-json';

/** Gives the text of a file; `before` is what it holds already and keeps, null for a new one. */
export type WriteText = (content: SavedContent, before: string | null) => string;

/** The formats that are texts; a spreadsheet is not. */
export const textFormats: Readonly<Record<string, WriteText>> = {
  txt: (content, before) => after(before, '\n', messageText(content)),
  markdown: (content, before) => after(before, '\n\n', markdownText(content)),
  html: (content, before) =>
    after(before, '\n', content.kind === 'Message' ? content.text : tableHtml(tableOf(content))),
  csv: (content, before) => {
    const table = tableOf(content);
    const rows = tableRecords(table).map((record) => Object.values(record));
    return before === null ? csvText([table.columns, ...rows]) : before + csvText(rows);
  },
  json: (content, before) =>
    before === null ? newJson(content) : jsonDumpsIndented([...jsonItems(before), ...newItems(content)], 2),
};

/** The table of what is no message. */
export function tableOf(content: SavedContent): DataFrame {
  return content.kind === 'Message'
    ? contentTable({ kind: 'Data', data: { message: content.text } })
    : contentTable(content);
}

function after(before: string | null, separator: string, text: string): string {
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

/** What a JSON file holds, as a list; what is no JSON counts as nothing. */
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

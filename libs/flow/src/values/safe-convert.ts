import {
  Data,
  DataFrame,
  Message,
  cleanString,
  markdownTable,
  orjsonIndented,
  str,
} from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { cleanTable, mapTexts } from './clean-table';
import { ComponentError } from '../errors';

/**
 * Returns any value as readable text: a string without superfluous empty lines, a Message's text, a Data as a fenced
 * block of JSON, a table in Markdown (cleaned with `cleanData`), anything else as Python prints it. Throws a
 * ComponentError ("Error converting data: …") for values that cannot be written.
 */
export function safeConvert(value: PythonValue, options: { readonly cleanData?: boolean } = {}): string {
  if (typeof value === 'string') return cleanString(value);
  if (value instanceof Message) return value.text;
  if (value instanceof Data) return cleanString(`\`\`\`json\n${dataJson(value)}\n\`\`\``);
  if (value instanceof DataFrame) {
    const table = mapTexts(value, (text) => text.replace(/\r\n?/g, '\n'));
    return markdownTable(mapTexts(options.cleanData === true ? cleanTable(table) : table, inOneLine));
  }
  return cleanString(str(value));
}

/** A row of a Markdown table is one line. */
function inOneLine(text: string): string {
  return text
    .replace(/^\n+|\n+$/g, '')
    .replaceAll('\n', '<br/>')
    .replaceAll('|', '\\|');
}

function dataJson({ data }: Data): string {
  try {
    return orjsonIndented(data);
  } catch (error) {
    throw new ComponentError(
      `Error converting data: ${error instanceof Error ? error.message : 'unknown'}`,
      error,
    );
  }
}

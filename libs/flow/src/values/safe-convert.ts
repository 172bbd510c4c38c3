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
import type { LangflowRelease } from './langflow-release';
import { ComponentError } from '../errors';

export interface SafeConvertOptions {
  /** Removes empty rows and superfluous whitespace from a table. */
  readonly cleanData?: boolean;
  /** In release 1.11, a cell with several lines takes several rows; later, its lines are joined by `<br/>`. */
  readonly langflow: LangflowRelease;
}

/**
 * Returns any value as readable text: a string without superfluous empty lines, a Message's text, a Data as a fenced
 * block of JSON, a table in Markdown (cleaned with `cleanData`), anything else as Python prints it. Throws a
 * ComponentError ("Error converting data: …") for values that cannot be written.
 */
export function safeConvert(value: PythonValue, { cleanData, langflow }: SafeConvertOptions): string {
  if (typeof value === 'string') return cleanString(value);
  if (value instanceof Message) return value.text;
  if (value instanceof Data) return cleanString(`\`\`\`json\n${dataJson(value)}\n\`\`\``);
  if (value instanceof DataFrame) {
    const table = langflow === '1.11' ? value : mapTexts(value, (text) => text.replace(/\r\n?/g, '\n'));
    const cleaned = cleanData === true ? cleanTable(table) : table;
    return markdownTable(mapTexts(cleaned, langflow === '1.11' ? escapeBars : inOneLine));
  }
  return cleanString(str(value));
}

/** A row of a Markdown table is one line. */
function inOneLine(text: string): string {
  return escapeBars(text.replace(/^\n+|(?<!\n)\n+$/g, '').replaceAll('\n', '<br/>'));
}

function escapeBars(text: string): string {
  return text.replaceAll('|', '\\|');
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

import { isDict } from '@millrace/flow';
import { parsePythonJson, PythonJsonError } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { readCsv } from '../parsing/csv/read-csv';
import type { InterruptibleWork } from '../parsing/run-in-slices';

/**
 * Parses structured text: a JSON object as it is; a JSON list of objects, or the rows of a CSV table with a header,
 * under the key `records`. Null for any other text.
 */
export function* parseStructuredText(text: string): InterruptibleWork<PythonObject | null> {
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const json = parsedJson(content);
  if (json !== undefined) return objectOf(json);
  const lines = content.trim().split('\n');
  if (lines.length < 2 || lines[0]?.includes(',') !== true) return null;
  const records = yield* readCsv(content);
  return records === null ? null : { records };
}

function objectOf(value: PythonValue): PythonObject | null {
  if (isDict(value)) return value;
  if (!Array.isArray(value) || value.length === 0) return null;
  const items: readonly PythonValue[] = value;
  return items.every(isDict) ? { records: items } : null;
}

function parsedJson(text: string): PythonValue | undefined {
  try {
    return parsePythonJson(text);
  } catch (error) {
    if (error instanceof PythonJsonError) return undefined;
    throw error;
  }
}

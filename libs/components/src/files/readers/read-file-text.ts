import { ComponentError, isDict } from '@millrace/flow';
import { decodeText, readPdf, readSheet, readWord, readYaml, reserializeXml } from '@millrace/documents';
import { orjsonCompact, parsePythonJson, PythonJsonError } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { csvText } from '../formats/csv-text';
import type { OpenFile } from './open-files';
import { extensionOf } from '../formats/text-file-types';

/** Returns the text of a file's bytes. */
export type Decode = (content: Uint8Array) => string;

type Reader = (
  content: Uint8Array,
  signal: AbortSignal,
  decode: Decode,
) => Promise<PythonValue> | PythonValue;

const readers = new Map<string, Reader>([
  ['pdf', async (content, signal) => (await readPdf(content, signal)).join('\n\n')],
  ['docx', async (content, signal) => (await readWord(content, signal)).join('\n\n')],
  ['xlsx', async (content, signal) => csvText(await readSheet(content, signal))],
  ['json', (content, _, decode) => normalizedJson(decode(content))],
  ['yaml', (content, signal, decode) => readYaml(decode(content), signal)],
  ['yml', (content, signal, decode) => readYaml(decode(content), signal)],
  ['xml', (content, signal, decode) => reserializeXml(decode(content), signal)],
]);

/**
 * Returns the text of a file, or the value of a YAML file. JSON and XML are normalized. Throws a ComponentError with
 * the reason when the file is invalid.
 */
export function readFileText(
  { path, content }: Pick<OpenFile, 'path' | 'content'>,
  signal: AbortSignal,
  decode: Decode = decodeText,
): Promise<PythonValue> | PythonValue {
  const read = readers.get(extensionOf(path));
  return read === undefined ? decode(content) : read(content, signal, decode);
}

/** Formats JSON on one line, with NFKD-normalized texts on the first level. */
function normalizedJson(text: string): string {
  const value = parsed(text);
  if (isDict(value)) {
    const members = Object.entries(value).map(([key, member]) => [key, normalized(member)]);
    return orjsonCompact(Object.fromEntries(members));
  }
  return orjsonCompact(Array.isArray(value) ? value.map(normalized) : value);
}

function normalized(value: PythonValue): PythonValue {
  return typeof value === 'string' ? value.normalize('NFKD') : value;
}

function parsed(text: string): PythonValue {
  try {
    return parsePythonJson(text);
  } catch (error) {
    if (error instanceof PythonJsonError) throw new ComponentError(error.message, error);
    throw error;
  }
}

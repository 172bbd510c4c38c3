import {
  boolean,
  ComponentError,
  defineComponent,
  dropdown,
  handle,
  sortableList,
  text,
} from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { decodeText, documentBounds, writeSheet } from '@millrace/documents';
import { Message, PythonFloat, repr, str, tableRecords } from '@millrace/python-text';
import type { DataFrame, PythonValue } from '@millrace/python-text';
import { tableOf, textFormats } from './formats/file-formats';
import { requireLocalStorage } from './require-local-storage';
import { savedContent } from './formats/saved-content';
import type { SavedContent } from './formats/saved-content';
import { extensionOf } from './formats/text-file-types';

const tableFormats: readonly string[] = ['csv', 'excel', 'json', 'markdown', 'html'];
const messageFormats: readonly string[] = ['txt', 'html', 'json', 'markdown'];
const anything = ['Data', 'JSON', 'DataFrame', 'Table', 'Message'];

export default defineComponent({
  type: 'SaveToFile',
  displayName: 'Write File',
  description: "Saves a message, data or a table as one of the user's stored files.",
  inputs: {
    storage_location: sortableList({
      displayName: 'Storage Location',
      options: ['Local', 'AWS', 'Google Drive'],
      advanced: true,
    }),
    input: handle({ displayName: 'File Content', inputTypes: anything, required: true, tool: true }),
    file_name: text({ displayName: 'File Name', plain: true, required: true, tool: true }),
    file_format: text({ displayName: 'File Format', plain: true, tool: true }),
    append_mode: boolean({ displayName: 'Append' }),
    local_format: dropdown({
      displayName: 'File Format',
      options: [...new Set([...tableFormats, ...messageFormats])],
    }),
    df: handle({ displayName: 'DataFrame of earlier versions', inputTypes: anything, advanced: true }),
    data: handle({ displayName: 'Data of earlier versions', inputTypes: anything, advanced: true }),
    message: handle({ displayName: 'Message of earlier versions', inputTypes: anything, advanced: true }),
    file_path: text({ displayName: 'File Path of earlier versions', plain: true, advanced: true }),
  },
  outputs: {
    message: { types: ['Message'], displayName: 'File Path', method: 'save_to_file' },
    result: { types: ['Message'], displayName: 'Result of earlier versions', tool: false },
    confirmation: {
      types: ['Text', 'Message'],
      displayName: 'Confirmation of earlier versions',
      tool: false,
    },
  },
  deterministic: false,
  run: async (inputs, context) => {
    const name = (inputs.file_name || inputs.file_path).trim();
    if (name === '') throw new ComponentError('File name must be provided.');
    requireLocalStorage(inputs.storage_location);
    const content = savedContent(
      nullIfEmpty(inputs.input) ?? nullIfEmpty(inputs.df) ?? nullIfEmpty(inputs.data) ?? inputs.message,
    );
    const format = formatFor(content, inputs.file_format || inputs.local_format);
    const request = { name, content, format, append: inputs.append_mode };
    const message = new Message({ text: await context.effect('save', () => save(context, request)) });
    const outputs: Record<string, PythonValue> = { message };
    for (const earlier of ['result', 'confirmation']) if (context.wants(earlier)) outputs[earlier] = message;
    return outputs;
  },
});

/** Returns null for the empty text, which is the saved value of an input without an edge. */
function nullIfEmpty(value: PythonValue): PythonValue {
  return value === '' ? null : value;
}

function formatFor({ kind }: SavedContent, wanted: string): string {
  const format = wanted.toLowerCase() || (kind === 'DataFrame' ? 'csv' : 'json');
  const allowed = kind === 'Message' ? messageFormats : tableFormats;
  if (allowed.includes(format)) return format;
  throw new ComponentError(
    `Invalid file format '${wanted || format}' for ${kind}. Allowed: ${repr(allowed)}`,
  );
}

interface SaveRequest {
  readonly name: string;
  readonly content: SavedContent;
  readonly format: string;
  readonly append: boolean;
}

/** Saves the file and returns Langflow's confirmation; a spreadsheet is always replaced. */
async function save(
  context: ComponentContext,
  { name, content, format, append }: SaveRequest,
): Promise<string> {
  const { files } = context.resources;
  const full = withExtension(name, format);
  // Relative and home folders of the author's machine have no meaning here.
  const stored = full.replace(/^(~|\.{0,2})\//, '');
  const write = textFormats[format];
  if (write === undefined) {
    const saved = await files.save(stored, await spreadsheet(tableOf(content), context.signal));
    return `${content.kind} saved successfully as '${full}' at ${saved.path}`;
  }
  const existing = append ? await files.find(`${context.run.userId}/${stored.replaceAll('/', '_')}`) : null;
  const before = existing && decodeText(await files.read(existing, documentBounds.documentBytes));
  const bytes = Buffer.from(write(content, before));
  if (bytes.length > documentBounds.documentBytes) {
    throw new ComponentError(`A file of more than ${documentBounds.documentBytes} bytes cannot be saved.`);
  }
  const saved = await files.save(stored, bytes);
  const done = existing === null ? 'saved successfully as' : 'appended to';
  return `${content.kind} ${done} '${full}' at ${saved.path}`;
}

function withExtension(name: string, format: string): string {
  const extension = extensionOf(name);
  if (format === 'excel') return ['xlsx', 'xls'].includes(extension) ? name : `${name}.xlsx`;
  return extension === format ? name : `${name}.${format}`;
}

function spreadsheet(table: DataFrame, signal: AbortSignal): Promise<Buffer> {
  const rows = tableRecords(table).map((record) => Object.values(record).map(cellOf));
  return writeSheet([table.columns, ...rows], signal);
}

function cellOf(value: PythonValue): null | boolean | number | string {
  if (value === null || typeof value === 'boolean') return value;
  if (value instanceof PythonFloat) return value.value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return str(value);
}

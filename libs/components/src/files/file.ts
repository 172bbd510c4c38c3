import { boolean, defineComponent, file, handle, sortableList, text } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { decodeText, decodeTextAs } from '@millrace/documents';
import { DataFrame, Message } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { fileData, fileMessage, fileObject } from './outputs/file-outputs';
import { filePieces } from './readers/file-pieces';
import { loadFiles } from './readers/load-files';
import type { LoadedFile, LoadOptions } from './readers/load-files';
import { findFile, namedFiles } from './readers/named-file';
import type { NamedFile } from './readers/named-file';
import { readFileTable } from './readers/read-file-table';
import { readFileText } from './readers/read-file-text';
import type { Decode } from './readers/read-file-text';
import { requireLocalStorage } from './require-local-storage';

const outputs = {
  message: {
    types: ['Message'],
    displayName: 'Raw Content',
    method: 'load_files_message',
    toolError: 'Error reading files: ',
  },
  dataframe: {
    types: ['DataFrame', 'Table'],
    displayName: 'Structured Content',
    method: 'load_files',
    tool: 'named',
  },
  json: { types: ['Data', 'JSON'], displayName: 'JSON Content', method: 'load_files_json', tool: 'named' },
  path: { types: ['Message'], displayName: 'File Path', method: 'load_files_path', tool: 'named' },
  data: { types: ['Data', 'JSON'], displayName: 'Data of earlier versions', tool: false },
  advanced_markdown: { types: ['Message'], displayName: 'Markdown', tool: false },
  advanced_dataframe: { types: ['DataFrame', 'Table'], displayName: 'Structured Output', tool: false },
} as const;

interface Settings extends LoadOptions {
  readonly separator: string;
  readonly text_encoding: string;
}

export default defineComponent({
  type: 'File',
  displayName: 'Read File',
  description: 'Reads the content of uploaded files.',
  inputs: {
    storage_location: sortableList({
      displayName: 'Storage Location',
      options: ['Local', 'AWS', 'Google Drive'],
      advanced: true,
      tool: false,
    }),
    path: file({ displayName: 'Files' }),
    file_path: handle({
      displayName: 'Server File Path',
      inputTypes: ['Data', 'JSON', 'Message'],
      advanced: true,
    }),
    file_path_str: text({ displayName: 'File Path', plain: true, advanced: true, tool: false }),
    text_encoding: text({ displayName: 'Text Encoding', plain: true, advanced: true, tool: false }),
    separator: text({ displayName: 'Separator', default: '\n\n', plain: true, advanced: true, tool: false }),
    silent_errors: boolean({ displayName: 'Silent Errors', advanced: true, tool: false }),
    ignore_unsupported_extensions: boolean({
      displayName: 'Ignore Unsupported Extensions',
      default: true,
      advanced: true,
      tool: false,
    }),
    ignore_unspecified_files: boolean({
      displayName: 'Ignore Unspecified Files',
      advanced: true,
      tool: false,
    }),
  },
  outputs,
  deterministic: false,
  approximates:
    'The text of a PDF can have different spaces and line breaks; the Advanced Parser returns plain text; images are not read.',
  run: async (inputs, context) => {
    requireLocalStorage(inputs.storage_location);
    const named = namedFiles(inputs);
    const wanted = wantedOutputs(context);
    const results: Record<string, PythonValue> = {};
    if (wanted.has('path')) results['path'] = await paths(context, named, inputs);
    if (wanted.has('advanced_dataframe')) {
      const pieces = await loadFiles(context, named, filePieces, inputs);
      results['advanced_dataframe'] = new DataFrame(pieces.flatMap(({ value }) => value));
    }
    const table = wanted.has('dataframe') ? await singleTable(context, named, inputs) : null;
    if (table !== null) {
      results['dataframe'] = table;
      wanted.delete('dataframe');
    }
    return { ...results, ...(await texts(context, named, wanted, inputs)) };
  },
});

/** A file at the end of a flow returns only its text. */
function wantedOutputs(context: ComponentContext): Set<string> {
  const names = Object.keys(outputs);
  const wanted = names.filter((name) => context.wants(name));
  return new Set(wanted.length === names.length ? ['message'] : wanted);
}

async function paths(
  context: ComponentContext,
  named: readonly NamedFile[],
  { silent_errors }: Settings,
): Promise<Message> {
  const found: string[] = [];
  for (const { path } of named) {
    const stored = await findFile(context, path, silent_errors);
    if (stored !== null) found.push(stored.path);
  }
  return new Message({ text: found.join('\n') });
}

/** Returns the decoder of the author's encoding; without one, the encoding is detected. */
function decoderOf({ text_encoding }: Settings): Decode {
  const name = text_encoding.trim();
  return name === '' ? decodeText : (content) => decodeTextAs(content, name);
}

/** Returns the rows of a single file that is a table; null otherwise. */
async function singleTable(
  context: ComponentContext,
  named: readonly NamedFile[],
  settings: Settings,
): Promise<DataFrame | null> {
  if (named.length !== 1) return null;
  const [only] = await loadFiles(
    context,
    named,
    (opened, signal) => readFileTable(opened, signal, decoderOf(settings)),
    settings,
  );
  if (only?.value) context.status(only.value);
  return only?.value ?? null;
}

async function texts(
  context: ComponentContext,
  named: readonly NamedFile[],
  wanted: ReadonlySet<string>,
  settings: Settings,
): Promise<Record<string, PythonValue>> {
  const builders: Readonly<Record<string, (files: readonly LoadedFile<PythonValue>[]) => PythonValue>> = {
    message: (files) => fileMessage(files, settings.separator),
    advanced_markdown: (files) => new Message({ text: fileMessage(files, settings.separator).text }),
    dataframe: (files) => new DataFrame(files.map((one) => fileData(one).data)),
    json: fileObject,
    data: (files) => dataOfEarlierVersions(files, context),
  };
  const requested = Object.entries(builders).filter(([name]) => wanted.has(name));
  if (requested.length === 0) return {};
  const files = await loadFiles(
    context,
    named,
    (opened, signal) => readFileText(opened, signal, decoderOf(settings)),
    settings,
  );
  if (context.langflow !== '1.11') logReads(context, files, settings);
  return Object.fromEntries(requested.map(([name, make]) => [name, make(files)]));
}

/** Logs what was read in Langflow's words, which name how many files its threads read at once. */
function logReads(
  context: ComponentContext,
  files: readonly LoadedFile<PythonValue>[],
  { text_encoding: given }: Settings,
): void {
  const threads = Math.max(1, Math.trunc(Number(context.fields['concurrency_multithreading'] ?? 1)) || 1);
  context.log(`Starting parallel processing of ${files.length} files with concurrency: ${threads}.`);
  for (const { path, encoding } of files) {
    if (encoding === null) continue;
    const how = given.trim() === '' ? 'automatic' : 'explicit';
    context.log(
      `Read ${path.slice(path.lastIndexOf('/') + 1)} with text encoding '${encoding}' (${how}). ` +
        "If text looks incorrect, set Text Encoding to the file's encoding.",
    );
  }
}

/** Returns a list; for a node of Langflow 1.0, which takes one file, returns the data itself. */
function dataOfEarlierVersions(
  files: readonly LoadedFile<PythonValue>[],
  { fields }: ComponentContext,
): PythonValue {
  const [first, ...others] = files.map(fileData);
  const takesOne = !Object.hasOwn(fields, 'ignore_unsupported_extensions');
  return takesOne && first !== undefined && others.length === 0 ? first : files.map(fileData);
}

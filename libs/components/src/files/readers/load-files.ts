import { textEncoding } from '@millrace/documents';
import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import type { NamedFile } from './named-file';
import { openFiles } from './open-files';
import type { OpenFile } from './open-files';
import { handleFileError } from './handle-file-error';
import { advancedFileTypes, extensionOf, textFileTypes } from '../formats/text-file-types';

export interface LoadOptions {
  readonly silent_errors: boolean;
  readonly ignore_unsupported_extensions: boolean;
  readonly text_encoding?: string;
}

/** A file that was read; `value` is the result of the reader. */
export interface LoadedFile<Value> {
  readonly path: string;
  readonly sizeBytes: number;
  /** The encoding of a file that is text; null for documents, and in Langflow 1.11. */
  readonly encoding: string | null;
  /** The fields of the input that named the file. */
  readonly data: PythonObject;
  readonly value: Value;
}

const documents: ReadonlySet<string> = new Set(['pdf', 'docx', 'xlsx']);
const readable = new Set([...textFileTypes, 'xlsx']);

/**
 * Reads files one after the other. Throws a ComponentError with the path of a file that cannot be read; skips that file
 * if errors are silent. Always throws when there is no file at all.
 */
export async function loadFiles<Value = PythonValue>(
  context: ComponentContext,
  files: readonly NamedFile[],
  read: (file: OpenFile, signal: AbortSignal) => Promise<Value> | Value,
  options: LoadOptions,
): Promise<readonly LoadedFile<Value>[]> {
  const loaded: LoadedFile<Value>[] = [];
  const ignored: string[] = [];
  let count = 0;
  for await (const file of openFiles(context, files, options.silent_errors)) {
    if (!isReadable(file.path, options)) {
      ignored.push(nameOf(file.path));
      continue;
    }
    count += 1;
    const { path, content, data } = file;
    try {
      const value = await read(file, context.signal);
      const encoding = context.langflow === '1.11' ? null : encodingOf(file, options);
      loaded.push({ path, sizeBytes: content.length, encoding, data, value });
    } catch (error) {
      handleFileError(context, path, error, options.silent_errors);
    }
  }
  if (ignored.length > 0) context.log(`Ignored files: ${ignored.join(', ')}`);
  if (count === 0) throw new ComponentError('No files to process.');
  return loaded;
}

/** Returns the encoding that the author names, or the one that is detected. */
function encodingOf({ path, content }: OpenFile, { text_encoding: given = '' }: LoadOptions): string | null {
  if (documents.has(extensionOf(path))) return null;
  return given.trim().toLowerCase().replaceAll('_', '-') || textEncoding(content);
}

function isReadable(path: string, options: LoadOptions): boolean {
  const extension = extensionOf(path);
  if (readable.has(extension)) return true;
  if (advancedFileTypes.has(extension)) {
    throw new ComponentError(
      `File '${nameOf(path)}' has extension '.${extension}' which requires Advanced Parser mode. ` +
        'Advanced Parser is not available here.',
    );
  }
  if (options.ignore_unsupported_extensions || options.silent_errors) return false;
  throw new ComponentError(`Unsupported file extension: ${extension === '' ? '' : `.${extension}`}`);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

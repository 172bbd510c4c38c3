import { ComponentError } from '@millrace/flow';
import type { ComponentContext, PythonObject, PythonValue } from '@millrace/flow';
import type { NamedFile } from './named-file';
import { openFiles } from './open-files';
import type { OpenFile } from './open-files';
import { passOver } from './pass-over';
import { advancedFileTypes, extensionOf, textFileTypes } from './text-file-types';

export interface LoadOptions {
  readonly silent_errors: boolean;
  readonly ignore_unsupported_extensions: boolean;
}

/** A file that was read; `value` is what the reader made of it. */
export interface LoadedFile<Value> {
  readonly path: string;
  readonly sizeBytes: number;
  /** What was said of the file before it was read. */
  readonly data: PythonObject;
  readonly value: Value;
}

const readable = new Set([...textFileTypes, 'xlsx']);

/**
 * Reads one file after the other. What goes wrong with one of them is told with its path, or left out when errors are
 * silent; no file at all is an error either way.
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
      loaded.push({ path, sizeBytes: content.length, data, value });
    } catch (error) {
      passOver(context, path, error, options.silent_errors);
    }
  }
  if (ignored.length > 0) context.log(`Ignored files: ${ignored.join(', ')}`);
  if (count === 0) throw new ComponentError('No files to process.');
  return loaded;
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

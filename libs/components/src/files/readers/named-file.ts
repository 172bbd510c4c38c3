import { classText, ComponentError } from '@millrace/flow';
import type { ComponentContext, RunFile } from '@millrace/flow';
import { Data, Message } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';

/** A file to read: its path and the other fields of the input that named it. */
export interface NamedFile {
  readonly path: string;
  readonly data: PythonObject;
}

/** The inputs that can name files; the first one that is not empty is used. */
export interface FileNames {
  readonly file_path_str: string;
  /** Data with a `file_path`, or messages with attached files or with a path as text. */
  readonly file_path: PythonValue;
  readonly path: readonly string[];
  readonly ignore_unspecified_files: boolean;
  readonly silent_errors: boolean;
}

/** Returns the files to read. Throws a ComponentError for a connected value that names no file. */
export function namedFiles(names: FileNames): readonly NamedFile[] {
  if (names.file_path_str !== '') return [named(names.file_path_str)];
  const wired = listed(names.file_path);
  return wired.length === 0 ? names.path.map(named) : wired.flatMap((value) => namedBy(value, names));
}

/** Returns the stored file of a path. When it does not exist, throws a ComponentError, or returns null if silent. */
export async function findFile(
  context: Pick<ComponentContext, 'resources' | 'log'>,
  path: string,
  isSilent: boolean,
): Promise<RunFile | null> {
  const file = await context.resources.files.find(path);
  if (file !== null) return file;
  const normalizedPath = path.replaceAll('\\', '/');
  const problem = `File not found: '${path}' (resolved to: '${normalizedPath}'). Please upload the file again.`;
  if (!isSilent) throw new ComponentError(problem);
  context.log(problem);
  return null;
}

function named(path: string): NamedFile {
  return { path, data: { file_path: path } };
}

function listed(value: PythonValue): readonly PythonValue[] {
  if (value === null || value === '') return [];
  return Array.isArray(value) ? value : [value];
}

function namedBy(value: PythonValue, names: FileNames): readonly NamedFile[] {
  if (value instanceof Message) {
    const { files } = value.fields;
    return files.length > 0 ? files.map(named) : [named(value.text)];
  }
  if (!(value instanceof Data)) {
    if (names.silent_errors) return [];
    throw new ComponentError(`Expected Data object in file_path but got ${classText(value)}.`);
  }
  const { file_path: path } = value.data;
  if (typeof path === 'string' && path !== '') return [{ path, data: value.data }];
  if (names.ignore_unspecified_files || names.silent_errors) return [];
  throw new ComponentError("Data object missing 'file_path' property.");
}

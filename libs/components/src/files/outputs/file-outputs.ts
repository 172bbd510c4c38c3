import { isDict } from '@millrace/flow';
import {
  Data,
  literalEval,
  Message,
  orjsonIndented,
  parsePythonJson,
  PythonJsonError,
  str,
} from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { fileMetadata } from './file-metadata';
import type { LoadedFile } from '../readers/load-files';

/** Returns the text of a file as data, with its path, its encoding and the fields of the input that named it. */
export function fileData({ path, data, value, encoding }: LoadedFile<PythonValue>): Data {
  return new Data({ ...data, file_path: path, text: value, ...(encoding === null ? {} : { encoding }) });
}

/** Returns a message with the texts of all files and the metadata of the first. */
export function fileMessage(files: readonly LoadedFile<PythonValue>[], separator: string): Message {
  const [first] = files;
  return new Message({
    text: files.map(shownText).join(separator === '' ? '\n\n' : separator),
    ...(first === undefined ? {} : { extra: fileMetadata(first.path, first.sizeBytes) }),
  });
}

/** Returns the object that the first file contains as JSON or as a Python literal; other text becomes `value`. */
export function fileObject([first]: readonly LoadedFile<PythonValue>[]): Data {
  if (first === undefined) return new Data();
  const { value } = first;
  if (isDict(value)) return new Data(value);
  return new Data(objectIn(str(value)) ?? { value });
}

function shownText(file: LoadedFile<PythonValue>): string {
  return file.value === '' || file.value === null ? orjsonIndented(fileData(file).data) : str(file.value);
}

function objectIn(text: string): PythonObject | null {
  const value = jsonIn(text) ?? literalEval(text) ?? null;
  return isDict(value) ? value : null;
}

function jsonIn(text: string): PythonValue | undefined {
  try {
    return parsePythonJson(text);
  } catch (error) {
    if (error instanceof PythonJsonError) return undefined;
    throw error;
  }
}

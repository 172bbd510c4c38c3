import {
  Data,
  isDict,
  literalEval,
  Message,
  orjsonIndented,
  parsePythonJson,
  PythonJsonError,
  str,
} from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/flow';
import { fileMetadata } from './file-metadata';
import type { LoadedFile } from './load-files';

/** What a file says, with its path and what was said of it before. */
export function fileData({ path, data, value }: LoadedFile<PythonValue>): Data {
  return new Data({ ...data, file_path: path, text: value });
}

/** The texts of all files, and of the first its name, size and type. */
export function fileMessage(files: readonly LoadedFile<PythonValue>[], separator: string): Message {
  const [first] = files;
  return new Message({
    text: files.map(shownText).join(separator === '' ? '\n\n' : separator),
    ...(first === undefined ? {} : { extra: fileMetadata(first.path, first.sizeBytes) }),
  });
}

/** The object that the first file holds as JSON or as a Python literal; any other text stands under `value`. */
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

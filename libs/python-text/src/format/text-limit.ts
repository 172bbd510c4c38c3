import { PythonFormatError } from './python-format-error';

/** Maximum length of the text of a template, a table or a replacement, in UTF-16 code units. */
export const maximumTextLength = 16 * 1024 * 1024;

/**
 * Throws a PythonFormatError (MemoryError) for a text that is too long, because a short template can produce a text
 * that exhausts the memory. Call it before building such a text.
 */
export function checkTextLength(length: number): void {
  if (length <= maximumTextLength) return;
  throw new PythonFormatError('MemoryError', `the text would be longer than ${maximumTextLength} characters`);
}

import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { decodeText, documentBounds } from '@millrace/documents';
import { findFile } from './named-file';
import { extensionOf } from './text-file-types';

/** Three ways to give a text, of which one is used. */
export interface GivenText {
  /** What the text is, as errors call it: the extension its files have, in capital letters. */
  readonly type: 'CSV' | 'JSON';
  readonly files: readonly string[];
  readonly path: string;
  readonly text: string;
}

/** The text itself, or that of a stored file. Throws a ComponentError for none, for two, and for another kind of file. */
export async function givenText(context: ComponentContext, given: GivenText): Promise<string> {
  const paths = [...given.files, ...(given.path === '' ? [] : [given.path])];
  const [path] = paths;
  if (paths.length + Number(given.text !== '') !== 1) {
    throw new ComponentError(
      `Please provide exactly one of: ${given.type} file, file path, or ${given.type} string.`,
    );
  }
  if (path === undefined) return given.text;
  if (extensionOf(path) !== given.type.toLowerCase()) {
    throw new ComponentError(`The provided file must be a ${given.type} file.`);
  }
  const file = await findFile(context, path, false);
  return file === null
    ? ''
    : decodeText(await context.resources.files.read(file, documentBounds.documentBytes));
}

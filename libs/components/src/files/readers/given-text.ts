import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { decodeText, documentBounds } from '@millrace/documents';
import { findFile } from './named-file';
import { extensionOf } from '../formats/text-file-types';

/** Three possible sources of a text, exactly one of which must be given. */
export interface GivenText {
  /** The format, as named in errors: the file extension in upper case. */
  readonly type: 'CSV' | 'JSON';
  readonly files: readonly string[];
  readonly path: string;
  readonly text: string;
}

/** Returns the text or that of a stored file. Throws a ComponentError for no source, several, or another file type. */
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

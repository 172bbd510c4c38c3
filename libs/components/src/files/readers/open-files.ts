import { ComponentError } from '@millrace/flow';
import type { ComponentContext, RunFile } from '@millrace/flow';
import { documentBounds, unpackArchive } from '@millrace/documents';
import type { PythonObject } from '@millrace/python-text';
import { findFile } from './named-file';
import type { NamedFile } from './named-file';
import { handleFileError } from './handle-file-error';
import { archiveTypes, extensionOf } from '../formats/text-file-types';

const maximumFiles = 1_000;
const maximumBytes = 134_217_728;
/** The maximum number of nested archives. */
const maximumArchiveDepth = 3;

/** A file with its content. */
export interface OpenFile {
  /** The stored path; for a file in an archive, its name below the path of the archive. */
  readonly path: string;
  readonly content: Uint8Array;
  readonly data: PythonObject;
}

/**
 * Yields files one after the other; archives are replaced by their files. Throws a ComponentError for a missing file,
 * unless errors are silent, and when the limits of files or bytes are exceeded.
 */
export async function* openFiles(
  context: ComponentContext,
  files: readonly NamedFile[],
  isSilent: boolean,
): AsyncGenerator<OpenFile> {
  let count = 0;
  let bytes = 0;
  for (const { path, data } of files) {
    const stored = await findFile(context, path, isSilent);
    if (stored === null) continue;
    const content = await contentOf(stored, context, isSilent);
    if (content === null) continue;
    for await (const file of expandArchives({ path: stored.path, content, data }, context, 0)) {
      count += 1;
      bytes += file.content.length;
      if (count > maximumFiles)
        throw new ComponentError(`More than ${maximumFiles} files cannot be read at once.`);
      if (bytes > maximumBytes)
        throw new ComponentError(`More than ${maximumBytes} bytes cannot be read at once.`);
      yield file;
    }
  }
}

async function contentOf(
  file: RunFile,
  context: ComponentContext,
  isSilent: boolean,
): Promise<Uint8Array | null> {
  try {
    return await context.resources.files.read(file, documentBounds.documentBytes);
  } catch (error) {
    handleFileError(context, file.path, error, isSilent);
    return null;
  }
}

async function* expandArchives(
  file: OpenFile,
  context: ComponentContext,
  depth: number,
): AsyncGenerator<OpenFile> {
  const extension = extensionOf(file.path);
  if (!archiveTypes.has(extension)) return yield file;
  if (depth === maximumArchiveDepth) throw new ComponentError(`${file.path} is nested in too many archives.`);
  const entries = await unpackArchive(file.content, context.signal);
  if (entries === null) throw new ComponentError(`Unsupported bundle format: .${extension}`);
  for (const { name, content } of entries) {
    yield* expandArchives({ ...file, path: `${file.path}/${name}`, content }, context, depth + 1);
  }
}

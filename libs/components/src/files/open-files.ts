import { ComponentError } from '@millrace/flow';
import type { ComponentContext, PythonObject, RunFile } from '@millrace/flow';
import { documentBounds, unpackArchive } from '@millrace/documents';
import { findFile } from './named-file';
import type { NamedFile } from './named-file';
import { passOver } from './pass-over';
import { archiveTypes, extensionOf } from './text-file-types';

const mostFiles = 1_000;
const mostBytes = 134_217_728;
/** An archive in an archive in an archive. */
const deepestArchive = 3;

/** A file with its content. */
export interface OpenFile {
  /** As it is stored; below that of its archive when it was in one. */
  readonly path: string;
  readonly content: Uint8Array;
  readonly data: PythonObject;
}

/**
 * Opens one file after the other, those of archives in their place. Throws a ComponentError for a file that is not
 * there, unless errors are silent, and for more files or bytes than one component may read.
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
    for await (const file of withoutArchives({ path: stored.path, content, data }, context, 0)) {
      count += 1;
      bytes += file.content.length;
      if (count > mostFiles) throw new ComponentError(`More than ${mostFiles} files cannot be read at once.`);
      if (bytes > mostBytes) throw new ComponentError(`More than ${mostBytes} bytes cannot be read at once.`);
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
    passOver(context, file.path, error, isSilent);
    return null;
  }
}

async function* withoutArchives(
  file: OpenFile,
  context: ComponentContext,
  depth: number,
): AsyncGenerator<OpenFile> {
  const extension = extensionOf(file.path);
  if (!archiveTypes.has(extension)) return yield file;
  if (depth === deepestArchive) throw new ComponentError(`${file.path} is packed too often.`);
  const entries = await unpackArchive(file.content, context.signal);
  if (entries === null) throw new ComponentError(`Unsupported bundle format: .${extension}`);
  for (const { name, content } of entries) {
    yield* withoutArchives({ ...file, path: `${file.path}/${name}`, content }, context, depth + 1);
  }
}

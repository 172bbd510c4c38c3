import { findFile } from '@millrace/components';
import { documentBounds } from '@millrace/documents';
import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { PythonObject } from '@millrace/python-text';
import { integerOf, textOf } from '../frames/members';

/** Bytes of one answer; a multiple of three, so that the parts in Base64 have no padding between them. */
const chunkBytes = 3 * 262_144;
/** Bytes of all files that one vertex reads, as for native components. */
const maximumBytes = 134_217_728;

interface OpenFile {
  readonly path: string;
  readonly content: Buffer;
}

/** The files that a vertex is reading. */
class VertexFiles {
  readonly #open = new Map<string, Promise<OpenFile>>();
  #bytes = 0;

  /** Returns the part of a file that begins at `offset`, with the file's stored path and size. */
  async read(name: string, offset: number, context: ComponentContext): Promise<PythonObject> {
    let opening = this.#open.get(name);
    if (opening === undefined) {
      opening = this.#openFile(name, context);
      this.#open.set(name, opening);
      opening.catch(() => this.#open.delete(name));
    }
    const { path, content } = await opening;
    const end = Math.min(offset + chunkBytes, content.length);
    // The component has all of it: a further read opens the file again.
    if (end === content.length) this.#open.delete(name);
    return { path, size: content.length, data: content.toString('base64', offset, end) };
  }

  async #openFile(name: string, context: ComponentContext): Promise<OpenFile> {
    const file = await findFile(context, name, false);
    if (file === null) throw new ComponentError(`File not found: '${name}'.`);
    this.#bytes += file.sizeBytes;
    if (this.#bytes > maximumBytes) {
      throw new ComponentError(`More than ${maximumBytes} bytes cannot be read at once.`);
    }
    const content = await context.resources.files.read(file, documentBounds.documentBytes);
    return { path: file.path, content };
  }
}

const filesOfVertices = new WeakMap<ComponentContext, VertexFiles>();

/**
 * Answers `file.read`: returns a part of a stored file of the run's user. Rejects with a ComponentError for an unknown
 * file, for a file of another user, and when the limits of files or bytes are exceeded.
 */
export async function readFilePart(args: PythonObject, context: ComponentContext): Promise<PythonObject> {
  let files = filesOfVertices.get(context);
  if (files === undefined) {
    files = new VertexFiles();
    filesOfVertices.set(context, files);
  }
  return files.read(textOf(args, 'name'), Math.max(0, integerOf(args, 'offset') ?? 0), context);
}

import { ComponentError } from '@millrace/flow';
import type { RunFile, RunFiles } from '@millrace/flow';
import { FileDeletedError, fileName } from '@millrace/runs';
import type { FileRecord, FileStore } from '@millrace/runs';

/** Maximum number of files in a listing; the others are left out. */
const MAXIMUM_LISTED_FILES = 10_000;

/** The user and flow of a run, and its signal. */
export interface ResourceOwner {
  readonly userId: string;
  readonly flowId: string;
  readonly signal: AbortSignal;
}

type Store = Pick<FileStore, 'find' | 'findByPath' | 'listForRun' | 'content' | 'replace'>;

/** The files of a run's user that are stored in the database. */
export class StoredRunFiles implements RunFiles {
  readonly #files: Store;
  readonly #owner: ResourceOwner;
  /** The rows of the files that were returned to components. */
  readonly #records = new WeakMap<RunFile, FileRecord>();

  constructor(files: Store, owner: ResourceOwner) {
    this.#files = files;
    this.#owner = owner;
  }

  async find(path: string): Promise<RunFile | null> {
    for (const candidate of this.#candidates(path)) {
      const record = await this.#files.findByPath(this.#owner.userId, candidate);
      if (record) return this.#toRunFile(record);
    }
    return null;
  }

  async list(): Promise<readonly RunFile[]> {
    const { userId, flowId } = this.#owner;
    const records = await this.#files.listForRun(userId, flowId, MAXIMUM_LISTED_FILES);
    return records.map((record) => this.#toRunFile(record));
  }

  async read(file: RunFile, maximumBytes: number): Promise<Buffer> {
    if (file.sizeBytes > maximumBytes) {
      throw new ComponentError(
        `${file.path} has ${file.sizeBytes} bytes; the limit is ${maximumBytes} bytes.`,
      );
    }
    const record = this.#records.get(file) ?? (await this.#files.findByPath(this.#owner.userId, file.path));
    if (!record) throw new ComponentError(`${file.path} no longer exists.`);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of this.#files.content(record)) {
        this.#owner.signal.throwIfAborted();
        chunks.push(chunk);
      }
    } catch (error) {
      if (error instanceof FileDeletedError)
        throw new ComponentError(`${file.path} no longer exists.`, error);
      throw error;
    }
    return Buffer.concat(chunks);
  }

  async save(name: string, content: Buffer): Promise<RunFile> {
    const file = { userId: this.#owner.userId, flowId: null, ...fileName(name) };
    const record = await this.#files.replace(file, once(content));
    if (!record) throw new ComponentError('The user of this run was deleted.');
    return this.#toRunFile(record);
  }

  /** Returns the path itself; for a bare name, the paths of a file of the user and of the flow, in this order. */
  #candidates(path: string): readonly string[] {
    // Flows that were exported on Windows contain its separators.
    const plain = path.trim().replaceAll('\\', '/').replace(/^\.\//, '');
    if (plain === '') return [];
    if (plain.includes('/')) return [plain];
    return [`${this.#owner.userId}/${plain}`, `${this.#owner.flowId}/${plain}`];
  }

  #toRunFile(record: FileRecord): RunFile {
    const { path, name, extension, sizeBytes } = record;
    const file: RunFile = { path, name: name + extension, sizeBytes };
    this.#records.set(file, record);
    return file;
  }
}

async function* once(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}

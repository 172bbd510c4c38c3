import { ComponentError } from '@millrace/flow';
import type { RunFile, RunFiles } from '@millrace/flow';
import { FileGoneError, fileName } from '@millrace/runs';
import type { FileRecord, FileStore } from '@millrace/runs';
import type { ResourceOwner } from './attempt-resources';

/** A listing of more files than this ends here. */
const MOST_LISTED = 10_000;

type Store = Pick<FileStore, 'find' | 'findByPath' | 'listForRun' | 'content' | 'replace'>;

/** The files of a run's user, as the database has them. */
export class StoredRunFiles implements RunFiles {
  readonly #files: Store;
  readonly #owner: ResourceOwner;
  /** Which row a file that was handed out stands for. */
  readonly #records = new WeakMap<RunFile, FileRecord>();

  constructor(files: Store, owner: ResourceOwner) {
    this.#files = files;
    this.#owner = owner;
  }

  async find(path: string): Promise<RunFile | null> {
    for (const candidate of this.#candidates(path)) {
      const record = await this.#files.findByPath(this.#owner.userId, candidate);
      if (record) return this.#lend(record);
    }
    return null;
  }

  async list(): Promise<readonly RunFile[]> {
    const { userId, flowId } = this.#owner;
    const records = await this.#files.listForRun(userId, flowId, MOST_LISTED);
    return records.map((record) => this.#lend(record));
  }

  async read(file: RunFile, maximumBytes: number): Promise<Buffer> {
    if (file.sizeBytes > maximumBytes) {
      throw new ComponentError(`${file.path} has ${file.sizeBytes} bytes; ${maximumBytes} can be read.`);
    }
    const record = this.#records.get(file) ?? (await this.#files.findByPath(this.#owner.userId, file.path));
    if (!record) throw new ComponentError(`${file.path} is there no more.`);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of this.#files.content(record)) {
        this.#owner.signal.throwIfAborted();
        chunks.push(chunk);
      }
    } catch (error) {
      if (error instanceof FileGoneError) throw new ComponentError(`${file.path} is there no more.`, error);
      throw error;
    }
    return Buffer.concat(chunks);
  }

  async save(name: string, content: Buffer): Promise<RunFile> {
    const file = { userId: this.#owner.userId, flowId: null, ...fileName(name) };
    const record = await this.#files.replace(file, once(content));
    if (!record) throw new ComponentError('The user of this run was deleted.');
    return this.#lend(record);
  }

  /** As it stands; a bare name is one of the user's own files, or else one of the flow's. */
  #candidates(path: string): readonly string[] {
    // Files exported on Windows have its separators.
    const plain = path.trim().replaceAll('\\', '/').replace(/^\.\//, '');
    if (plain === '') return [];
    if (plain.includes('/')) return [plain];
    return [`${this.#owner.userId}/${plain}`, `${this.#owner.flowId}/${plain}`];
  }

  #lend(record: FileRecord): RunFile {
    const { path, name, extension, sizeBytes } = record;
    const file: RunFile = { path, name: name + extension, sizeBytes };
    this.#records.set(file, record);
    return file;
  }
}

async function* once(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}

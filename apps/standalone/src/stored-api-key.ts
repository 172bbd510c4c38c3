import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { syncFolder } from '@millrace/service';
import { readSecretFile, writeSecretFile } from './secret-file';

/**
 * The API key that a data folder stores, so that its owner can look it up: in the file `api-key`, or in
 * `api-key.refused` once the database that was opened last no longer accepts it.
 */
export class StoredApiKey {
  /** The file that contains the key, for commands to read. */
  readonly file: string;
  readonly #refusedFile: string;
  readonly #warn: (sentence: string) => void;

  constructor(dataDirectory: string, warn: (sentence: string) => void) {
    this.file = join(resolve(dataDirectory), 'api-key');
    this.#refusedFile = `${this.file}.refused`;
    this.#warn = warn;
  }

  get isRefused(): boolean {
    return readSecretFile(this.file, () => undefined) === null && existsSync(this.#refusedFile);
  }

  /** Returns the key, refused or not; null when none is stored. */
  read(): string | null {
    return readSecretFile(this.file, this.#warn) ?? readSecretFile(this.#refusedFile, this.#warn);
  }

  /** Stores this key in place of the previous one. */
  store(key: string): void {
    writeSecretFile(this.file, key, { replace: true });
    rmSync(this.#refusedFile, { force: true });
    syncFolder(dirname(this.file));
  }

  /** Records whether the database accepts the key. */
  markRefused({ isRefused }: { readonly isRefused: boolean }): void {
    if (isRefused === this.isRefused) return;
    const [from, to] = isRefused ? [this.file, this.#refusedFile] : [this.#refusedFile, this.file];
    renameSync(from, to);
    syncFolder(dirname(this.file));
  }
}

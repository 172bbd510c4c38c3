import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { syncFolder } from '@millrace/service';
import { readSecretFile, writeSecretFile } from './secret-file';

/**
 * The API key that a data folder keeps, so that its owner can look it up: in the file `api-key`, or in `api-key.refused`
 * once the database that was last opened does not take it any more.
 */
export class KeptKey {
  /** Holds the key, for commands to read. */
  readonly file: string;
  readonly #refused: string;
  readonly #warn: (sentence: string) => void;

  constructor(dataDirectory: string, warn: (sentence: string) => void) {
    this.file = join(resolve(dataDirectory), 'api-key');
    this.#refused = `${this.file}.refused`;
    this.#warn = warn;
  }

  get isRefused(): boolean {
    return readSecretFile(this.file, () => undefined) === null && existsSync(this.#refused);
  }

  /** The key, refused or not; null when none is kept. */
  read(): string | null {
    return readSecretFile(this.file, this.#warn) ?? readSecretFile(this.#refused, this.#warn);
  }

  /** Keeps this key instead of the one before. */
  keep(key: string): void {
    writeSecretFile(this.file, key, { replace: true });
    rmSync(this.#refused, { force: true });
    syncFolder(dirname(this.file));
  }

  /** Notes whether the database takes the key. */
  mark({ isRefused }: { readonly isRefused: boolean }): void {
    if (isRefused === this.isRefused) return;
    const [from, to] = isRefused ? [this.file, this.#refused] : [this.#refused, this.file];
    renameSync(from, to);
    syncFolder(dirname(this.file));
  }
}

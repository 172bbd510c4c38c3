import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { StartError, syncFile, syncFolder } from '@millrace/service';
import { fileErrorReason } from './file-error-reason';

const READABLE_BY_OTHERS = 0o077;

/**
 * What a file of the data folder holds, without blanks around it; null when there is none or it is empty. Warns of one
 * that other users of the machine may read. Throws StartError when it cannot be read.
 */
export function readSecretFile(file: string, warn: (sentence: string) => void): string | null {
  let text: string;
  let mode: number;
  try {
    text = readFileSync(file, 'utf8').trim();
    ({ mode } = statSync(file));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new StartError(`${file} cannot be read: ${fileErrorReason(error)}`, { cause: error });
  }
  if (process.platform !== 'win32' && (mode & READABLE_BY_OTHERS) !== 0)
    warn(`${file} is open to other users of this machine; chmod 600 ${file}`);
  return text === '' ? null : text;
}

/**
 * Writes a file that only its owner can read, whole or not at all, in a folder that is made for it; it is on disk when
 * this returns. An existing file is replaced if `replace` says so, and an error otherwise. Throws StartError when it cannot be written.
 */
export function writeSecretFile(
  file: string,
  text: string,
  { replace }: { readonly replace: boolean },
): void {
  const draft = `${file}.${randomUUID()}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${text}\n`, { mode: 0o600, flag: 'wx' });
    syncFile(draft);
    if (replace) renameSync(draft, file);
    else linkSync(draft, file);
    rmSync(draft, { force: true });
    syncFolder(dirname(file));
  } catch (error) {
    rmSync(draft, { force: true });
    throw new StartError(`${file} cannot be written: ${fileErrorReason(error)}`, { cause: error });
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

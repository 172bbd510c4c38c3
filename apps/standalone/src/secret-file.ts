import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { StartError, syncFile, syncFolder } from '@millrace/service';
import { fileErrorReason } from './file-error-reason';

const READABLE_BY_OTHERS = 0o077;

/**
 * Returns the trimmed content of a file of the data folder; null when it is missing or empty. Warns when other users of
 * the machine can read it. Throws StartError when it cannot be read.
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
    warn(`${file} can be read by other users of this machine; run chmod 600 ${file}`);
  return text === '' ? null : text;
}

/**
 * Writes atomically a file that only its owner can read, and creates its folder; both are synced to disk when this
 * returns. Throws StartError when the file cannot be written, or when it exists and `replace` is false.
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

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readSecretFile, writeSecretFile } from './secret-file';

/**
 * Returns the encryption keys of a data folder: reads its file, which has one key or, separated by commas, several; or
 * creates it on the first start, readable by its owner only.
 */
export function readOrCreateEncryptionKeys(
  dataDirectory: string,
  warn: (sentence: string) => void,
): readonly string[] {
  const stored = readEncryptionKeys(dataDirectory, warn);
  if (stored !== undefined) return stored;
  const key = randomBytes(32).toString('base64');
  writeEncryptionKeys(dataDirectory, [key], { replace: false });
  return [key];
}

/** Returns the encryption keys of a data folder; undefined when it has none. */
export function readEncryptionKeys(
  dataDirectory: string,
  warn: (sentence: string) => void,
): readonly string[] | undefined {
  return readSecretFile(keyFile(dataDirectory), warn)
    ?.split(',')
    .map((key) => key.trim());
}

/** Stores the encryption keys of a data folder. Throws StartError when the file exists and `replace` is false. */
export function writeEncryptionKeys(
  dataDirectory: string,
  keys: readonly string[],
  options: { readonly replace: boolean },
): void {
  writeSecretFile(keyFile(dataDirectory), keys.join(','), options);
}

function keyFile(dataDirectory: string): string {
  return join(dataDirectory, 'encryption-key');
}

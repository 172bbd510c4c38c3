import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readSecretFile, writeSecretFile } from './secret-file';

/**
 * Returns the encryption key of a data folder: reads its file, or creates it on the first start, readable by its owner
 * only.
 */
export function readOrCreateEncryptionKey(dataDirectory: string, warn: (sentence: string) => void): string {
  const file = join(dataDirectory, 'encryption-key');
  const stored = readSecretFile(file, warn);
  if (stored !== null) return stored;
  const key = randomBytes(32).toString('base64');
  writeSecretFile(file, key, { replace: false });
  return key;
}

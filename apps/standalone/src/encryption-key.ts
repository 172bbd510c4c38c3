import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readSecretFile, writeSecretFile } from './secret-file';

/** The key of a data folder: read from its file, or made there on the first start, readable by its owner only. */
export function encryptionKeyOf(dataDirectory: string, warn: (sentence: string) => void): string {
  const file = join(dataDirectory, 'encryption-key');
  const kept = readSecretFile(file, warn);
  if (kept !== null) return kept;
  const key = randomBytes(32).toString('base64');
  writeSecretFile(file, key, { replace: false });
  return key;
}

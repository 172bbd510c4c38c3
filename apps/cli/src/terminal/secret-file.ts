import { closeSync, openSync, writeSync } from 'node:fs';
import { reasonOf } from '../client/reason-of';
import { CliError } from '../cli-error';

/**
 * Creates a file of mode 0600 that does not exist yet, and returns the function that writes a secret to it: a secret that
 * is shown only once must not be lost because its file cannot be created. Throws CliError.
 */
export function reserveSecretFile(path: string): (secret: string) => void {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    throw new CliError('input', `${path} cannot be created: ${reasonOf(error)}`, error);
  }
  return (secret) => {
    writeSync(file, `${secret}\n`);
    closeSync(file);
  };
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the folder with the package `millrace_worker`: beside a bundle, or in the sources. */
export function workerFolder(): string {
  const candidates = [join(__dirname, 'python-worker'), join(__dirname, '../../../apps/python-worker')];
  const found = candidates.find((folder) => existsSync(join(folder, 'millrace_worker')));
  if (found === undefined) throw new Error(`the Python worker is not in ${candidates.join(' or ')}`);
  return found;
}

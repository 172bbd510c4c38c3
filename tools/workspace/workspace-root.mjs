import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository, independent of the working directory. */
export const workspaceRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

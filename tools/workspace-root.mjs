import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository, wherever a tool is called from. */
export const workspaceRoot = dirname(dirname(fileURLToPath(import.meta.url)));

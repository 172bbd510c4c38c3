// The command `millrace` of this repository: installs packages and builds apps/cli when they are older than the sources,
// and runs it in this process. `millrace up` starts the server, which needs no command to be built.
import './workspace/require-node-version.mjs';
import './workspace/print-uncaught-errors.mjs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { messageOf } from './workspace/error-fields.mjs';
import { prepareWorkspace } from './workspace/prepare-workspace.mjs';
import { workspaceRoot } from './workspace/workspace-root.mjs';

if (process.argv[2] === 'up') {
  process.argv.splice(2, 1);
  const place = process.argv.indexOf('--scaled');
  if (place > 0) process.argv.splice(place, 1);
  await import(place > 0 ? './scaled.mjs' : './start.mjs');
} else {
  try {
    // Not to standard output, which a program can read.
    prepareWorkspace({ build: ['apps/cli'], onlyRun: true, print: console.error });
  } catch (error) {
    console.error(messageOf(error));
    process.exit(1);
  }
  process.setSourceMapsEnabled(true);
  createRequire(import.meta.url)(join(workspaceRoot, 'dist', 'apps', 'cli', 'main.cjs'));
}

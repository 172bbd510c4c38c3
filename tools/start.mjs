// `npm start`: everything in one process with nothing else installed. Uses nothing but what Node brings until packages
// are there; then the built application runs in this very process, so that signals reach it directly.
import './require-node-version.mjs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { prepareWorkspace } from './prepare-workspace.mjs';
import { workspaceRoot } from './workspace-root.mjs';

const usage = `npm start -- [options]
  --port <number>   instead of 7860
  --host <address>  instead of 127.0.0.1
  --data <folder>   instead of .millrace
  --demo            run example flows whole, streamed and by webhook, show each result, and end
  --help`;

if (process.argv.includes('--help')) {
  console.log(usage);
} else {
  process.chdir(workspaceRoot);
  try {
    prepareWorkspace({ build: ['apps/standalone'] });
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
  process.setSourceMapsEnabled(true);
  createRequire(import.meta.url)(join(workspaceRoot, 'dist', 'apps', 'standalone', 'main.cjs'));
}

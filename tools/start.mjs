// `npm start`: runs everything in one process, with nothing else installed. Uses only Node's own modules until packages
// are installed. The built application runs in this process, so that signals reach it directly.
import './workspace/require-node-version.mjs';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  adviceFor,
  commandLineOptions,
  contradictionIn,
  usage,
} from '../apps/standalone/src/standalone-options.cjs';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { messageOf } from './workspace/error-fields.mjs';
import { requireFreePort } from './workspace/require-free-port.mjs';
import { prepareWorkspace } from './workspace/prepare-workspace.mjs';
import { buildEnvironment } from './python/build-environment.mjs';
import { defaultFolder, lockFile } from './python/package-sets.mjs';
import { workspaceRoot } from './workspace/workspace-root.mjs';

const { values } = readCommandLine({ usage, options: commandLineOptions });
const contradiction = contradictionIn(values);
if (contradiction !== null) {
  console.error(contradiction);
  process.exit(64);
}
process.chdir(workspaceRoot);
try {
  if (values['show-key']) {
    // A shell can capture the output, so print only the key.
    prepareWorkspace({ build: ['apps/standalone'], onlyRun: true, print: console.error });
  } else {
    // The demo takes a free port unless one is given, so that it runs beside the app.
    if (!values.demo || values.port !== undefined)
      await requireFreePort({ ...values, ...adviceFor(values.data) });
    prepareWorkspace({ build: ['apps/standalone'], onlyRun: true });
    if (values.python) await prepareDefaultEnvironment();
  }
} catch (error) {
  console.error(messageOf(error));
  process.exit(1);
}
process.setSourceMapsEnabled(true);
createRequire(import.meta.url)(join(workspaceRoot, 'dist', 'apps', 'standalone', 'main.cjs'));

/** Builds the Python environment that `--python` uses, unless the settings name another one or it exists. */
async function prepareDefaultEnvironment() {
  if (process.env.MILLRACE_PYTHON_ENVIRONMENT || existsSync(join(defaultFolder, 'environment.json'))) return;
  await buildEnvironment({ folder: defaultFolder, lockFile: lockFile({}) });
}

// `npm run python-environment`: builds the environment of the Python worker from a lock file with hashes. Does nothing when
// the folder has the packages of this lock file.
import './workspace/require-node-version.mjs';
import './workspace/print-uncaught-errors.mjs';
import { resolve } from 'node:path';
import { choiceText } from '../libs/service/src/text/choice-text.cjs';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { messageOf } from './workspace/error-fields.mjs';
import { buildEnvironment } from './python/build-environment.mjs';
import { folderMegabytes } from './python/folder-size.mjs';
import { defaultFolder, lockFile, setNames } from './python/package-sets.mjs';

const { values: flags } = readCommandLine({
  usage: `npm run python-environment -- [options]
  --set <set>            minimal (lfx; the default) or standard (with what Langflow installs for its components)
  --requirements <file>  your own lock file with hashes; also MILLRACE_PYTHON_REQUIREMENTS
  --folder <folder>      where the environment is built; default .millrace/python
  --help`,
  options: {
    set: { type: 'string', parse: choiceText(setNames) },
    requirements: { type: 'string' },
    folder: { type: 'string', default: defaultFolder },
  },
});

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => interrupted.abort());

await main().catch((error) => {
  console.error(interrupted.signal.aborted ? 'Interrupted; nothing was changed.' : messageOf(error));
  process.exitCode = 1;
});

async function main() {
  const folder = resolve(process.env.INIT_CWD ?? '.', flags.folder);
  const given = flags.set === undefined ? process.env.MILLRACE_PYTHON_REQUIREMENTS : undefined;
  const lock = lockFile({ set: flags.set, requirements: flags.requirements ?? given });
  const started = Date.now();
  const { python, lfx, components, modules } = await buildEnvironment({
    folder,
    lockFile: lock,
    signal: interrupted.signal,
  });
  const types = new Set(Object.values(components)).size;
  console.log(`Python ${python}, lfx ${lfx}, ${types} stock components, ${modules.length} modules`);
  console.log(`${folder}: ${folderMegabytes(folder)} MB, in ${Math.round((Date.now() - started) / 1000)} s`);
  console.log(`Interpreter: ${folder}/bin/python`);
  console.log('Next: set MILLRACE_PYTHON and restart the executors (docs/operate/python-packages.md).');
}

// `npm run flow-table -- <folder>`: runs every flow file of a folder and prints how each ends. Runs each flow with one
// input, with another, and with the first again, on a whole system for which every external service is a fake on this
// machine. Needs Linux, root and openssl.
import './workspace/require-node-version.mjs';
import './workspace/print-uncaught-errors.mjs';
import { existsSync } from 'node:fs';
import { choiceText } from '../libs/service/src/options/choice-text.cjs';
import { readCommandLine, refuseCommandLine } from '../libs/service/src/options/command-line.cjs';
import { prepareWorkspace } from './workspace/prepare-workspace.mjs';
import { defaultFolder } from './python/package-sets.mjs';

const { values, positionals } = readCommandLine({
  usage: `npm run flow-table -- <folder> [options]
  --system <name>  standalone or scaled; standalone
  --only <text>    only files with this text in their names
  --accept         accepts the stock code of vertices that are refused
  --python         runs components in Python, too; vertices whose text is not in the file run a stand-in
  --folder <path>  the Python environment for --python; default .millrace/python
  --json <file>    writes the table as JSON
  --keep           keeps the scratch folder and prints its path
  --help`,
  options: {
    system: { type: 'string', default: 'standalone', parse: choiceText(['standalone', 'scaled']) },
    only: { type: 'string' },
    accept: { type: 'boolean' },
    python: { type: 'boolean' },
    folder: { type: 'string', default: defaultFolder },
    json: { type: 'string' },
    keep: { type: 'boolean' },
  },
  positionals: { minimum: 1, maximum: 1 },
});
const [source] = positionals;
if (!existsSync(source)) refuseCommandLine(`there is no folder ${source}`);
const { folder: pythonFolder, python, ...options } = values;
if (python && !existsSync(pythonFolder))
  refuseCommandLine(`there is no Python environment ${pythonFolder}; npm run python-environment builds it`);
prepareWorkspace({ build: true });
// Imported only now, because the packages that it needs have just been installed.
const { makeTable } = await import('./flow-table/table.mjs');
await makeTable({ source, ...options, pythonFolder: python ? pythonFolder : null });

// `npm run flow-table -- <folder>`: what becomes of every flow file of a folder. Runs each with one input, with another,
// and with the first again, on a whole system in whose world every outside service is a fake on this machine. Needs
// Linux, its administrator and openssl.
import './require-node-version.mjs';
import './errors-as-sentences.mjs';
import { existsSync } from 'node:fs';
import { choiceText } from '../libs/service/src/options/choice-text.cjs';
import { readCommandLine, refuseCommandLine } from '../libs/service/src/options/command-line.cjs';
import { prepareWorkspace } from './prepare-workspace.mjs';

const { values, positionals } = readCommandLine({
  usage: `npm run flow-table -- <folder> [options]
  --system <name>  standalone or scaled; standalone
  --only <text>    only files with this in their names
  --accept         accept the stock code of vertices that are refused
  --json <file>    writes the table as JSON
  --keep           leave the scratch folder, and say where it is
  --help`,
  options: {
    system: { type: 'string', default: 'standalone', parse: choiceText(['standalone', 'scaled']) },
    only: { type: 'string' },
    accept: { type: 'boolean' },
    json: { type: 'string' },
    keep: { type: 'boolean' },
  },
  positionals: { minimum: 1, maximum: 1 },
});
const [source] = positionals;
if (!existsSync(source)) refuseCommandLine(`there is no folder ${source}`);
prepareWorkspace({ build: true });
// Only now are the packages there that this needs.
const { makeTable } = await import('./flow-table/table.mjs');
await makeTable({ source, ...values });

// `npm run check-flow -- file or folder…`: reports how each vertex of these flows runs here; `--json` for programs. Exits
// with 0 when every flow is runnable or approximated. Needs no servers: it looks for keys in the environment only.
import './require-node-version.mjs';
import './print-uncaught-errors.mjs';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { messageOf } from './error-fields.mjs';
import { installIfNeeded } from './install-if-needed.mjs';
import { workspaceRoot } from './workspace-root.mjs';

/** @import { FlowReport } from '@millrace/flow' */

/** @typedef {Pick<FlowReport, 'verdict' | 'vertices'> & { readonly error?: string }} Checked */

const { values: flags, positionals: files } = readCommandLine({
  usage: `npm run check-flow -- [options] <flow file or folder> …
  --python         reports with Python switched on; without it, vertices that need Python are reported as such
  --folder <path>  the Python environment for --python; default .millrace/python
  --json           prints the reports as JSON
  --help`,
  options: { json: { type: 'boolean' }, python: { type: 'boolean' }, folder: { type: 'string' } },
  positionals: { minimum: 1, maximum: Infinity },
});
installIfNeeded(console.error);
// Imported only now, because the packages that it needs have just been installed.
const { loadWorkspaceCode } = await import('./load-workspace-code.mjs');
/** @type {typeof import('@millrace/components') & typeof import('@millrace/flow') & typeof import('@millrace/python')} */
const { componentRegistry, compile, flowReport, noPython, parseFlowDocument, readPythonEnvironment } =
  await loadWorkspaceCode(
    `export { componentRegistry } from '@millrace/components';
    export { compile, flowReport, noPython, parseFlowDocument } from '@millrace/flow';
    export { readPythonEnvironment } from '@millrace/python';`,
  );
const registry = { ...componentRegistry, python: await pythonPolicy() };
const checked = files.flatMap(flowFiles).map((file) => ({ file, ...check(file) }));
if (flags.json) console.log(JSON.stringify(checked, null, 2));
else {
  for (const flow of checked) print(flow);
  if (checked.length > 1) console.log(summary());
}
/** @type {ReadonlySet<string>} */
const fine = new Set(['runnable', 'approximated']);
process.exitCode = checked.every(({ verdict }) => fine.has(verdict)) ? 0 : 1;

/**
 * Returns the JSON files of a folder, or the file itself.
 * @param {string} path
 */
function flowFiles(path) {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  const names = readdirSync(path).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => join(path, name));
}

function summary() {
  const counts = Map.groupBy(checked, ({ verdict }) => verdict);
  const parts = [...counts].map(([verdict, flows]) => `${flows.length} ${verdict}`);
  return `${checked.length} flows: ${parts.join(', ')}`;
}

/**
 * @param {string} file
 * @returns {Checked}
 */
function check(file) {
  try {
    const document = parseFlowDocument(JSON.parse(readFileSync(file, 'utf8')));
    const plan = compile(document, { flowId: file, version: 1, registry });
    return flowReport(plan, {
      hasVariable: (name) => (process.env[name] ?? '') !== '',
      isApproved: () => false,
    });
  } catch (error) {
    return { verdict: 'refused', vertices: [], error: messageOf(error) };
  }
}

/** @returns {Promise<import('@millrace/flow').PythonPolicy>} */
async function pythonPolicy() {
  if (!flags.python) return noPython;
  const environment = await readPythonEnvironment(
    flags.folder ?? join(workspaceRoot, '.millrace', 'python'),
    {
      workerFolder: join(workspaceRoot, 'apps', 'python-worker'),
    },
  );
  if (!('reason' in environment)) return { mode: 'approved', environment };
  console.error(environment.reason);
  process.exit(1);
}

/** @param {Checked & { readonly file: string }} flow */
function print({ file, verdict, vertices, error }) {
  console.log(`${file}: ${verdict}${error === undefined ? '' : ` (${error})`}`);
  for (const { id, type, status, reason } of vertices)
    console.log(`  ${status.padEnd(17)} ${id} (${type})${reason === null ? '' : `: ${reason}`}`);
}

// `npm run check-flow -- file…`: says of each vertex of these flows how it runs here; `--json` for programs. Ends with 0
// when every flow is runnable or approximated. Needs no servers: keys are looked for in the environment alone.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { loadWorkspaceCode } from './load-workspace-code.mjs';

const { values: flags, positionals: files } = parseArgs({
  options: { json: { type: 'boolean', default: false } },
  allowPositionals: true,
});
if (files.length === 0) {
  console.error('usage: npm run check-flow -- [--json] <flow file> …');
  process.exit(64);
}
const { componentRegistry, compile, flowReport, parseFlowDocument } = await loadWorkspaceCode(
  `export { componentRegistry } from '@millrace/components';
  export { compile, flowReport, parseFlowDocument } from '@millrace/flow';`,
);
const checked = files.map((file) => ({ file, ...check(file) }));
if (flags.json) console.log(JSON.stringify(checked, null, 2));
else for (const flow of checked) print(flow);
const fine = new Set(['runnable', 'approximated']);
process.exitCode = checked.every(({ verdict }) => fine.has(verdict)) ? 0 : 1;

function check(file) {
  try {
    const document = parseFlowDocument(JSON.parse(readFileSync(file, 'utf8')));
    const plan = compile(document, { flowId: file, version: 1, registry: componentRegistry });
    return flowReport(plan, (name) => (process.env[name] ?? '') !== '');
  } catch (error) {
    return { verdict: 'refused', vertices: [], error: error.message };
  }
}

function print({ file, verdict, vertices, error }) {
  console.log(`${file}: ${verdict}${error === undefined ? '' : ` (${error})`}`);
  for (const { id, type, status, reason } of vertices)
    console.log(`  ${status.padEnd(17)} ${id} (${type})${reason === null ? '' : `: ${reason}`}`);
}

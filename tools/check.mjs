// `npm run check`: everything that a change must pass. A failed step does not stop the others; failures are listed at the
// end.
import './workspace/require-node-version.mjs';
import './workspace/print-uncaught-errors.mjs';
import { spawnSync } from 'node:child_process';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { installIfNeeded } from './workspace/install-if-needed.mjs';
import { packageBinary } from './workspace/package-binary.mjs';
import { workspaceRoot } from './workspace/workspace-root.mjs';

/** @typedef {{ readonly title: string, readonly words: () => string[], readonly isQuiet?: boolean }} Step */

readCommandLine({
  usage: `npm run check
  checks format, lint, types, import cycles, folder cycles, prose, spelling, links, dead code, duplication, project references, and runs the tests that need no servers
  --help`,
  options: {},
});
installIfNeeded();
/** @type {readonly Step[]} */
const steps = [
  { title: 'format', words: () => [packageBinary('prettier'), '--check', '--log-level=warn', '.'] },
  { title: 'lint', words: () => [packageBinary('eslint'), '.'] },
  { title: 'types', words: () => [packageBinary('typescript', 'tsc'), '--build'] },
  { title: 'import cycles', words: () => cruise('.dependency-cruiser.cjs') },
  { title: 'folder cycles', words: () => cruise('.dependency-cruiser.folders.cjs') },
  { title: 'prose', words: () => ['tools/prose/check-prose.mjs'] },
  { title: 'spelling', words: () => [packageBinary('cspell'), 'lint', '--no-progress', '--no-summary'] },
  { title: 'links', words: () => ['tools/prose/check-links.mjs'] },
  { title: 'dead code', words: () => [packageBinary('knip'), '--no-config-hints'] },
  { title: 'duplication', words: () => [packageBinary('jscpd'), '.'] },
  { title: 'project references', words: () => [packageBinary('nx'), 'sync:check'], isQuiet: true },
  // They include a check that the generated registry and pages are up to date.
  { title: 'tests', words: () => ['tools/test.mjs', '--unit'] },
];

/** @type {string[]} */
const failed = [];
for (const { title, words, isQuiet = false } of steps) {
  const started = Date.now();
  console.log(`\n== ${title}`);
  const { status, stdout, stderr } = spawnSync(process.execPath, words(), {
    cwd: workspaceRoot,
    stdio: ['ignore', isQuiet ? 'pipe' : 'inherit', isQuiet ? 'pipe' : 'inherit'],
    env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' },
  });
  if (status !== 0) {
    failed.push(title);
    if (isQuiet) console.log(`${stdout}${stderr}`);
  }
  console.log(`${status === 0 ? 'ok' : 'FAILED'} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
}
console.log(failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** @param {string} rules */
function cruise(rules) {
  const folders = ['apps', 'libs', 'tests', 'tools', 'bench', 'chaos'];
  return [packageBinary('dependency-cruiser', 'depcruise'), '--config', rules, ...folders];
}

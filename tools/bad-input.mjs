// `npm run bad-input`: runs the tests of hostile input, row by row, and prints how long they took. Times are reported,
// not asserted: a row is broken when one of its tests fails.
import './workspace/require-node-version.mjs';
import './workspace/print-uncaught-errors.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choicesText } from '../libs/service/src/options/choice-text.cjs';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { badInputRows } from './jest/bad-input-rows.mjs';
import { packageBinary } from './workspace/package-binary.mjs';
import { prepareWorkspace } from './workspace/prepare-workspace.mjs';
import { workspaceRoot } from './workspace/workspace-root.mjs';

/** @import { Suite } from './jest/bad-input-rows.mjs' */

/**
 * @typedef {object} TestCase A test case in the report of jest.
 * @property {string} status
 * @property {number} duration
 * @property {string} fullName
 * @property {readonly string[]} failureMessages
 */

const MAXIMUM_SUITE_MILLISECONDS = 900_000;
const known = Object.keys(badInputRows);
const { values } = readCommandLine({
  usage: `npm run bad-input -- [options]
  --rows <ids>  only these rows of ${known.join(', ')}; comma separated
  --help
Rows and what each prints: docs/security.md`,
  options: { rows: { type: 'string', parse: choicesText(known) } },
});
const wanted = values.rows ?? known;
prepareWorkspace({ build: wanted.includes('S7') });
for (const row of wanted) if (!runRow(row)) process.exitCode = 1;

/**
 * Runs a row, prints its results and returns whether all its tests passed.
 * @param {string} row
 */
function runRow(row) {
  const { what, suites } = badInputRows[row];
  const directory = mkdtempSync(join(tmpdir(), 'millrace-bad-input-'));
  const figures = join(directory, 'figures');
  try {
    const cases = suites.flatMap((suite, index) =>
      runSuite(suite, join(directory, `${index}.json`), figures),
    );
    const failed = cases.filter(({ status }) => status !== 'passed');
    const slowest = cases.reduce((worst, one) => (one.duration > worst.duration ? one : worst), cases[0]);
    const isHeld = cases.length > 0 && failed.length === 0;
    console.log(`${row.padEnd(4)}${isHeld ? 'held  ' : 'BROKEN'} ${what}`);
    console.log(
      `    ${cases.length - failed.length} of ${cases.length} cases, slowest ${slowest?.duration} ms`,
    );
    if (existsSync(figures))
      for (const line of readFileSync(figures, 'utf8').trim().split('\n'))
        console.log(`    ${JSON.parse(line).figures}`);
    for (const { fullName, failureMessages } of failed)
      console.log(`    failed: ${fullName}\n${failureMessages.join('\n')}`);
    return isHeld;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Runs a suite and returns the test cases that jest reports; a single failed case when there is no report.
 * @param {Suite} suite
 * @param {string} output
 * @param {string} figures
 * @returns {TestCase[]}
 */
function runSuite({ project, files, name, isolated = false }, output, figures) {
  const jest = [packageBinary('jest'), '-c', join(project, 'jest.config.cjs'), ...files];
  const words = [...jest, '--json', `--outputFile=${output}`];
  if (name !== undefined) words.push('-t', name);
  const command = [process.execPath, ...words];
  const [program, ...rest] = isolated ? withoutNetwork(command) : command;
  const { status } = spawnSync(program, rest, {
    cwd: workspaceRoot,
    stdio: 'ignore',
    timeout: MAXIMUM_SUITE_MILLISECONDS,
    env: { ...process.env, MILLRACE_FIGURES: figures },
  });
  if (!existsSync(output))
    return [{ status: 'failed', duration: 0, fullName: files.join(), failureMessages: [`exit ${status}`] }];
  /** @type {{ readonly testResults: readonly { readonly assertionResults: readonly TestCase[] }[] }} */
  const { testResults } = JSON.parse(readFileSync(output, 'utf8'));
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status: outcome }) => outcome !== 'pending');
}

/**
 * Wraps a command so that it runs in a network namespace with a loopback interface and no route, where that is allowed.
 * Without permission it returns the command as it is.
 * @param {readonly string[]} command
 * @returns {readonly string[]}
 */
function withoutNetwork(command) {
  const inside = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
  const isAllowed = spawnSync('unshare', ['--net', ...inside, 'true'], { stdio: 'ignore' }).status === 0;
  console.log(
    `    ${isAllowed ? 'in a network namespace without a route' : 'with the network of this machine'}`,
  );
  return isAllowed ? ['unshare', '--net', ...inside, ...command] : command;
}

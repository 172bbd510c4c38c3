import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../services/run-command.mjs';
import { installPackages } from './langflow-environment.mjs';

/** @import { Target } from './open-targets.mjs' */

/**
 * @typedef {{ readonly outcome: 'passed' | 'failed' | 'skipped', readonly reason: string, readonly requests: number }} Outcome
 * @typedef {Readonly<Record<string, Outcome>>} Outcomes by test
 */

const packages = [
  'pytest',
  'pytest-asyncio',
  'pytest-timeout',
  'pytest-mock',
  'asgi-lifespan',
  'blockbuster',
  'h2',
  'respx',
];
const TESTS_DEADLINE_MILLISECONDS = 60 * 60_000;
const conftest = fileURLToPath(new URL('langflow-tests/conftest.py', import.meta.url));

/**
 * Runs a copy of Langflow's HTTP tests against both servers: all of them against Langflow, and those that pass there against
 * this server. Prints the figures and the tests that fail here.
 * @param {{ readonly copy: string, readonly environment: string, readonly folder: string, readonly targets: { readonly langflow: Target, readonly millrace: Target } }} options
 *   `copy` is the folder `src/backend/tests` of a checkout of Langflow, `environment` a Python environment with
 *   Langflow.
 */
export async function runLangflowTests({ copy, environment, folder, targets: { langflow, millrace } }) {
  await installPackages(environment, packages);
  const root = scratchCopy(resolve(copy), folder);
  const there = await run(langflow, undefined);
  const { sent, valid } = validTests(there);
  const here = await run(millrace, valid);
  const failed = failedTests(valid, here);
  const figures = { sent: sent.length, valid: valid.length, passed: valid.length - failed.length };
  writeFileSync(join(folder, 'langflow-tests.json'), JSON.stringify({ ...figures, here, there }, null, 1));
  for (const test of failed) console.log(`${test}\n    ${lastLine(here[test]?.reason ?? 'did not run')}`);
  console.log(
    `${figures.sent} tests of Langflow send requests: ${figures.valid} pass against Langflow, ${figures.passed} of these here`,
  );
  return figures;

  /**
   * @param {Target} target
   * @param {readonly string[] | undefined} only
   * @returns {Promise<Outcomes>}
   */
  async function run({ name, url, key }, only) {
    const results = join(folder, `langflow-tests-${name}.json`);
    const named = join(folder, 'langflow-tests-valid.json');
    if (only !== undefined) writeFileSync(named, JSON.stringify(only));
    const words = [
      '-m',
      'pytest',
      join(root, 'tests'),
      '--rootdir',
      root,
      '-q',
      '--tb=short',
      '-p',
      'no:cacheprovider',
    ];
    const settings = ['-o', 'asyncio_mode=auto', '-o', 'timeout=120', '--continue-on-collection-errors'];
    // pytest ends with 1 when tests fail.
    await runCommand(join(environment, 'bin', 'python'), [...words, ...settings], {
      deadlineMilliseconds: TESTS_DEADLINE_MILLISECONDS,
      environment: {
        ...process.env,
        PYTHONPATH: root,
        LIVE_URL: url,
        LIVE_ADMIN_KEY: key,
        LIVE_RESULTS: results,
        ...(only !== undefined && { LIVE_ONLY: named }),
        LANGFLOW_CONFIG_DIR: join(folder, 'config'),
        // Without it, a test that starts Langflow's services writes to a database inside of the package.
        LANGFLOW_DATABASE_URL: `sqlite:///${join(folder, 'langflow-tests.db')}`,
        DO_NOT_TRACK: 'true',
      },
    }).catch((error) => {
      if (!existsSync(results)) throw error;
    });
    return JSON.parse(readFileSync(results, 'utf8'));
  }
}

/**
 * Returns the tests that send requests, and those of them that pass against Langflow: only these say something about
 * another server.
 * @param {Outcomes} there
 */
export function validTests(there) {
  const sent = Object.keys(there).filter((test) => (there[test]?.requests ?? 0) > 0);
  return { sent, valid: sent.filter((test) => there[test]?.outcome === 'passed') };
}

/**
 * Returns the valid tests that do not pass here: those that fail, are skipped or did not run.
 * @param {readonly string[]} valid
 * @param {Outcomes} here
 */
export function failedTests(valid, here) {
  return valid.filter((test) => here[test]?.outcome !== 'passed');
}

/**
 * Copies the tests and puts the own conftest.py before theirs. Returns the folder from which pytest starts.
 * @param {string} copy
 * @param {string} folder
 */
function scratchCopy(copy, folder) {
  const root = join(folder, 'langflow-tests');
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  const tests = join(root, 'tests');
  cpSync(copy, tests, { recursive: true });
  renameSync(join(tests, 'conftest.py'), join(tests, 'copied_conftest.py'));
  cpSync(conftest, join(tests, 'conftest.py'));
  if (!existsSync(join(tests, '__init__.py'))) writeFileSync(join(tests, '__init__.py'), '');
  return root;
}

/** @param {string} text */
function lastLine(text) {
  return text.trim().split('\n').at(-1) ?? '';
}

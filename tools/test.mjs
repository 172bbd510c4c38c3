// `npm test`: runs every suite against real RabbitMQ, Redis, PostgreSQL, MariaDB, PgBouncer and Prometheus, which it
// finds or starts.
// Imports only Node's own modules until packages are installed.
import './workspace/require-node-version.mjs';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { messageOf } from './workspace/error-fields.mjs';
import { prepareWorkspace } from './workspace/prepare-workspace.mjs';
import { buildTestPython, readyTestPython } from './python/test-environment.mjs';
import { runSuites } from './jest/run-suites.mjs';
import { selectTests } from './jest/select-tests.mjs';
import { acquireServices, installMissing, servicesOption } from './services/acquire-services.mjs';
import { serviceNames } from './services/service-kinds.mjs';
import { workspaceRoot } from './workspace/workspace-root.mjs';

/** @import { AcquiredServices } from './services/acquire-services.mjs' */

/** More than the usual two cores: many suites wait for processes, servers and deadlines. */
const WORKERS = Math.max(4, availableParallelism());
/** For the suites with Python while they run beside the others. */
const PYTHON_WORKERS = 1;
/** Suites that start programs from their bundles. */
const NEEDS_BUNDLES = /^apps\/standalone\/src\/(?:system|power-cuts)\//;
/** The counts of a run without test files. */
const NO_TESTS = { passed: 0, failed: 0, skipped: 0 };
const NEEDS_SERVERS = /\.services\.test\.ts$/;
/** Suites with the packages of apps/python-worker. */
const NEEDS_PYTHON = /\.python(?:\.services)?\.test\.ts$/;
/** Suites with an interpreter alone, which find it themselves. */
const NEEDS_INTERPRETER = /^libs\/python\/src\/seal\/|\/python-environment\.services\.test\.ts$/;
/** Suites that `--unit` leaves out. */
const SLOW = /^apps\/standalone\/src\/(?:system|power-cuts|simulation)\//;

/** Programs that tests start load their modules faster from it. */
const COMPILE_CACHE = join(workspaceRoot, 'node_modules', '.cache', 'node');

const usage = `npm test -- [options] [project or part of a path] …
  npm test -- executor                 the tests of one project
  npm test -- limits.test.ts           the test files with this in their path
  --unit             the quick loop: leaves out suites that need servers or Python, the simulation, the tests of whole systems;
                     checks expensive properties with a twentieth of the cases
  --prepare          installs what these tests need, also servers and Python's packages, and builds, but runs no test: after
                     it, the tests need no network
  --services <ways>  where to get the servers: env, local, private, compose, apt (comma separated)
  --keep             leaves the servers and the database running and prints their URLs
  --help`;

const { values: flags, positionals: words } = readCommandLine({
  usage,
  options: {
    unit: { type: 'boolean' },
    prepare: { type: 'boolean' },
    services: servicesOption,
    keep: { type: 'boolean' },
  },
  positionals: { maximum: Infinity },
});

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(name, () => {
    if (!interrupted.signal.aborted) console.log(`\n${name}: stopping and cleaning up`);
    interrupted.abort();
  });

process.exitCode = await main().catch((error) => {
  console.error(messageOf(error));
  console.log('0 passed, 1 failed');
  return 1;
});

async function main() {
  const files = selectTests(words).filter(
    (file) => !flags.unit || !(NEEDS_SERVERS.test(file) || NEEDS_PYTHON.test(file) || SLOW.test(file)),
  );
  if (files.length === 0) throw new Error('--unit leaves out all of these tests.');
  prepareWorkspace({ build: files.some((file) => NEEDS_BUNDLES.test(file)) });
  if (flags.prepare) return prepare(files);
  const { allPassed, passed, failed, skipped, notRun } = await runWithServices(files);
  const isComplete = allPassed && failed === 0 && passed > 0 && !interrupted.signal.aborted;
  if (notRun.length > 0) console.log(`Not run, and counted as failed: ${notRun.join(', ')}`);
  if (passed === 0) console.log('No test ran.');
  if (skipped > 0) console.log(`${skipped} skipped`);
  console.log(`${passed} passed, ${isComplete ? 0 : Math.max(1, failed)} failed`);
  return isComplete ? 0 : 1;
}

/**
 * Installs servers, programs and Python's packages.
 * @param {readonly string[]} files
 */
async function prepare(files) {
  await installMissing({ names: neededServices(files) });
  if (files.some((file) => NEEDS_PYTHON.test(file)) && readyTestPython() === undefined)
    await buildTestPython({ signal: interrupted.signal });
  console.log('The tests can run.');
  return 0;
}

/** @param {readonly string[]} files */
async function runWithServices(files) {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  // Servers that a test starts in this folder can run as other users.
  chmodSync(directory, 0o711);
  /** @type {AcquiredServices | undefined} */
  let services;
  try {
    const names = neededServices(files);
    const servers = names.filter((name) => name !== 'python');
    if (servers.length > 0) services = await acquireServices({ only: flags.services, names: servers });
    const lacksPython = names.includes('python') && !(await acquirePython());
    interrupted.signal.throwIfAborted();
    const notRun = lacksPython ? files.filter(needsAnyPython) : [];
    const runnable = lacksPython ? files.filter((file) => !needsAnyPython(file)) : files;
    const ended = await runWithPython(runnable, (chosen, { workers, variables }) =>
      runSuites({
        files: chosen,
        workers,
        signal: interrupted.signal,
        environment: {
          TMPDIR: directory,
          NODE_COMPILE_CACHE: COMPILE_CACHE,
          ...(flags.unit ? { MILLRACE_QUICK_TESTS: 'true' } : {}),
          ...serverVariables(services),
          ...variables,
        },
      }),
    );
    return { ...ended, failed: ended.failed + notRun.length, notRun: [...ended.notRun, ...notRun] };
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
    if (flags.keep && services !== undefined) console.log('Kept:', services.urls);
    else await services?.stop();
  }
}

/**
 * Which servers and programs the test files need.
 * @param {readonly string[]} files
 */
function neededServices(files) {
  if (files.some((file) => NEEDS_SERVERS.test(file))) return serviceNames;
  return files.some((file) => NEEDS_PYTHON.test(file)) && readyTestPython() === undefined
    ? serviceNames.filter((name) => name === 'python')
    : [];
}

/** @param {string} file */
function needsAnyPython(file) {
  return NEEDS_PYTHON.test(file) || (NEEDS_INTERPRETER.test(file) && NEEDS_SERVERS.test(file));
}

/** Finds or installs Python. Without it, the suites that need none run. */
async function acquirePython() {
  try {
    await (await acquireServices({ only: flags.services, names: ['python'] })).stop();
    return true;
  } catch (error) {
    console.log(messageOf(error));
    return false;
  }
}

/**
 * Runs test files. Those that need Python's packages run in a jest of their own when the packages have to be installed
 * first: as soon as that has happened, beside the others. They count as failed when the installation fails.
 * @param {readonly string[]} files
 * @param {(files: readonly string[], options: { readonly workers: number, readonly variables: NodeJS.ProcessEnv }) => ReturnType<typeof runSuites>} run
 */
async function runWithPython(files, run) {
  const withPython = files.filter((file) => NEEDS_PYTHON.test(file));
  const others = files.filter((file) => !NEEDS_PYTHON.test(file));
  const nothing = { allPassed: true, ...NO_TESTS, notRun: [] };
  if (files.length === 0) return nothing;
  const ready = readyTestPython();
  if (withPython.length === 0 || ready !== undefined) {
    const variables = { TEST_PYTHON: ready };
    return { ...(await run(files, { workers: WORKERS, variables })), notRun: [] };
  }
  const runOthers = async () =>
    others.length === 0
      ? nothing
      : { ...(await run(others, { workers: WORKERS, variables: {} })), notRun: [] };
  const runInPython = async () => {
    const python = await buildTestPython({ signal: interrupted.signal }).catch((error) => {
      if (!interrupted.signal.aborted) console.log(messageOf(error));
      return undefined;
    });
    interrupted.signal.throwIfAborted();
    if (python === undefined) return { ...nothing, failed: withPython.length, notRun: withPython };
    const variables = { TEST_PYTHON: python };
    const ended = await run(withPython, { workers: PYTHON_WORKERS, variables });
    return { ...ended, notRun: [] };
  };
  // Both have ended before the servers stop, also when one of them cannot be run.
  const [first, second] = await Promise.allSettled([runOthers(), runInPython()]);
  if (first.status === 'rejected') throw first.reason;
  if (second.status === 'rejected') throw second.reason;
  return {
    allPassed: first.value.allPassed && second.value.allPassed,
    passed: first.value.passed + second.value.passed,
    failed: first.value.failed + second.value.failed,
    skipped: first.value.skipped + second.value.skipped,
    notRun: second.value.notRun,
  };
}

/** @param {AcquiredServices | undefined} services */
function serverVariables(services) {
  if (services?.urls.broker === undefined) return {};
  return {
    AMQP_URL: services.urls.broker,
    REDIS_URL: services.urls.keyValue,
    DATABASE_URL: services.urls.database,
    MARIADB_URL: services.urls.mariadb,
    PGBOUNCER: services.urls.pgbouncer,
    NATS_SERVER: services.urls.nats,
    PROMETHEUS: services.urls.prometheus,
    CHROMIUM: services.urls.chromium,
    MILLRACE_PREFIX: services.prefix,
  };
}

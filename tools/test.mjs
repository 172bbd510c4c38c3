// `npm test`: runs every suite against real RabbitMQ, Redis, PostgreSQL, MariaDB and PgBouncer, which it finds or starts.
// Imports only Node's own modules until packages are installed.
import './require-node-version.mjs';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { messageOf } from './error-fields.mjs';
import { prepareWorkspace } from './prepare-workspace.mjs';
import { runSuites } from './run-suites.mjs';
import { selectTests } from './select-tests.mjs';
import { acquireServices, servicesOption } from './services/acquire-services.mjs';
import { serviceNames } from './services/service-kinds.mjs';
import { workspaceRoot } from './workspace-root.mjs';

/** @import { AcquiredServices } from './services/acquire-services.mjs' */

/** More than the usual two cores: many suites wait for processes, servers and deadlines. */
const WORKERS = Math.max(4, availableParallelism());
/** Suites that start programs from their bundles. */
const NEEDS_BUNDLES = /^apps\/standalone\/src\/(?:system|power-cuts)\//;
const NEEDS_SERVERS = /\.services\.test\.ts$/;
/** Suites that `--unit` leaves out. */
const SLOW = /^apps\/standalone\/src\/(?:system|power-cuts|simulation)\//;

/** Programs that tests start load their modules faster from it. */
const COMPILE_CACHE = join(workspaceRoot, 'node_modules', '.cache', 'node');

const usage = `npm test -- [options] [project or part of a path] …
  npm test -- executor                 the tests of one project
  npm test -- limits.test.ts           the test files with this in their path
  --unit             the quick loop: leaves out suites that need servers, the simulation and the tests of whole systems
  --services <ways>  where to get the servers: env, local, private, compose, apt (comma separated)
  --keep             leaves the servers and the database running and prints their URLs
  --help`;

const { values: flags, positionals: words } = readCommandLine({
  usage,
  options: {
    unit: { type: 'boolean' },
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
    (file) => !flags.unit || !(NEEDS_SERVERS.test(file) || SLOW.test(file)),
  );
  if (files.length === 0) throw new Error('--unit leaves out all of these tests.');
  prepareWorkspace({ build: files.some((file) => NEEDS_BUNDLES.test(file)) });
  const { allPassed, passed, failed, skipped } = await runWithServices(files);
  const isComplete = allPassed && failed === 0 && passed > 0 && !interrupted.signal.aborted;
  if (passed === 0) console.log('No test ran.');
  if (skipped > 0) console.log(`${skipped} skipped`);
  console.log(`${passed} passed, ${isComplete ? 0 : Math.max(1, failed)} failed`);
  return isComplete ? 0 : 1;
}

/** @param {readonly string[]} files */
async function runWithServices(files) {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  // Servers that a test starts in this folder can run as other users.
  chmodSync(directory, 0o711);
  /** @type {AcquiredServices | undefined} */
  let services;
  try {
    if (files.some((file) => NEEDS_SERVERS.test(file)))
      services = await acquireServices({ only: flags.services, names: serviceNames });
    interrupted.signal.throwIfAborted();
    return await runSuites({
      files,
      workers: WORKERS,
      signal: interrupted.signal,
      environment: { TMPDIR: directory, NODE_COMPILE_CACHE: COMPILE_CACHE, ...serverVariables(services) },
      report: join(directory, 'report.json'),
    });
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
    if (flags.keep && services !== undefined) console.log('Kept:', services.urls);
    else await services?.stop();
  }
}

/** @param {AcquiredServices | undefined} services */
function serverVariables(services) {
  if (services === undefined) return {};
  return {
    AMQP_URL: services.urls.broker,
    REDIS_URL: services.urls.keyValue,
    DATABASE_URL: services.urls.database,
    MARIADB_URL: services.urls.mariadb,
    PGBOUNCER: services.urls.pgbouncer,
    MILLRACE_PREFIX: services.prefix,
  };
}

// `npm test`: runs every suite against real RabbitMQ, Redis, PostgreSQL, MariaDB and PgBouncer, which it finds or starts.
// Imports only Node's own modules until packages are installed.
import './require-node-version.mjs';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { countTests } from './count-tests.mjs';
import { messageOf } from './error-fields.mjs';
import { installIfNeeded } from './install-if-needed.mjs';
import { runSuites } from './run-suites.mjs';
import { acquireServices, servicesOption } from './services/acquire-services.mjs';
import { serviceNames } from './services/service-kinds.mjs';

/** @import { AcquiredServices } from './services/acquire-services.mjs' */
/** @import { ServiceName } from './services/service-kinds.mjs' */

const usage = `npm test -- [options]
  --unit             the quick loop: starts no servers and skips the suites that need them
  --only <project>   one project, such as executor
  --services <ways>  where to get the servers: env, local, private, compose, apt (comma separated)
  --keep             leaves the servers and the database running and prints their URLs
  --help`;

const { values: flags } = readCommandLine({
  usage,
  options: {
    unit: { type: 'boolean' },
    only: { type: 'string' },
    services: servicesOption,
    keep: { type: 'boolean' },
  },
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
  installIfNeeded();
  const { allPassed, totals } = await runWithServices();
  const isComplete = allPassed && totals.failed === 0 && totals.passed > 0 && !interrupted.signal.aborted;
  if (totals.passed === 0) console.log('No test ran.');
  if (totals.skipped > 0) console.log(`${totals.skipped} skipped`);
  // A suite that did not start has no counts, but is a failure.
  const failed = isComplete ? 0 : Math.max(1, totals.failed);
  console.log(`${totals.passed} passed, ${failed} failed`);
  return isComplete ? 0 : 1;
}

async function runWithServices() {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  // Servers that a test starts in this folder can run as other users.
  chmodSync(directory, 0o711);
  const counts = join(directory, 'counts');
  /** @type {AcquiredServices | undefined} */
  let services;
  try {
    services = flags.unit ? undefined : await acquireServices({ only: flags.services, names: serviceNames });
    interrupted.signal.throwIfAborted();
    const allPassed = await runSuites({
      project: flags.only,
      signal: interrupted.signal,
      environment: { MILLRACE_TEST_COUNTS: counts, TMPDIR: directory, ...suiteEnvironment(services) },
    });
    return { allPassed, totals: countTests(counts) };
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
    if (flags.keep && services !== undefined) console.log('Kept:', services.urls);
    else await services?.stop();
  }
}

/** @param {AcquiredServices | undefined} services */
function suiteEnvironment(services) {
  if (services === undefined) return { MILLRACE_TEST_UNIT: '1' };
  return {
    AMQP_URL: services.urls.broker,
    REDIS_URL: services.urls.keyValue,
    DATABASE_URL: services.urls.database,
    MARIADB_URL: services.urls.mariadb,
    PGBOUNCER: services.urls.pgbouncer,
    MILLRACE_PREFIX: services.prefix,
  };
}

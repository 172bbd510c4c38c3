// `npm run interop -- --with <revision>`: tests services of this revision together with services of another one, in both
// directions, or with --upgrade a rolling upgrade and the way back under load.
import './workspace/require-node-version.mjs';
import './workspace/print-uncaught-errors.mjs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { wholeNumber } from '../libs/service/src/text/number-text.cjs';
import { messageOf } from './workspace/error-fields.mjs';
import { prepareWorkspace } from './workspace/prepare-workspace.mjs';
import { acquireServices, servicesOption } from './services/acquire-services.mjs';
import { workspaceRoot } from './workspace/workspace-root.mjs';

/** @import { AcquiredServices } from './services/acquire-services.mjs' */

/** @typedef {Readonly<Record<string, readonly string[]>>} Faults Error messages by form of request. */

const usage = `npm run interop -- [options]
  --with <revision>  the other revision; the last release, or else the commit before this one
  --times <n>        how often each form of request is sent to each pair; 20
  --upgrade <n>      instead upgrade from the other revision to this one and back, under load, with n seconds between steps
  --services <ways>  where to get the servers: env, local, private, compose, apt (comma separated)
  --help`;
const { values: flags } = readCommandLine({
  usage,
  options: {
    with: { type: 'string' },
    times: { type: 'string', default: '20', parse: wholeNumber({ minimum: 1 }) },
    upgrade: { type: 'string', parse: wholeNumber({ minimum: 1 }) },
    services: servicesOption,
  },
});
/**
 * The services of the other revision, by pair. The database is always migrated by this revision.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const pairs = {
  'their executor': ['executor'],
  'their gateway and ingest': ['gateway', 'ingest'],
  'all of theirs, our tables': ['gateway', 'ingest', 'executor'],
};

process.exitCode = await main();

async function main() {
  prepareWorkspace({ build: true });
  // Imported only now, because the packages that they need have just been installed.
  const { buildRevision, findRevision } = await import('./interop/build-revision.mjs');
  const commit = findRevision(flags.with);
  const other = buildRevision(commit, console.log);
  const services = await acquireServices({ only: flags.services }).catch((error) => {
    other.remove();
    throw error;
  });
  try {
    if (flags.upgrade !== undefined)
      return await tryUpgrade(services, { commit, bundles: other.bundles, seconds: flags.upgrade });
    /** @type {Record<string, Faults>} */
    const found = {};
    for (const [pair, apps] of Object.entries(pairs)) {
      console.log(`\n${pair}`);
      found[pair] = await tryPair(services, Object.fromEntries(apps.map((app) => [app, other.bundles])));
    }
    return report(commit, found);
  } finally {
    await services.stop();
    other.remove();
  }
}

/**
 * @param {AcquiredServices} services
 * @param {{ readonly commit: string, readonly bundles: string, readonly seconds: number }} upgrade
 */
async function tryUpgrade({ urls, prefix }, { commit, bundles, seconds }) {
  const { createTestDatabase } = await import('./services/test-database.mjs');
  const { printUpgrade, upgradeUnderLoad } = await import('./interop/upgrade-under-load.mjs');
  const name = `${prefix}_${randomBytes(3).toString('hex')}`;
  const database = await createTestDatabase(urls.database, name);
  try {
    console.log(`\nfrom ${commit} to this revision, back, and here again`);
    const upgrade = await upgradeUnderLoad({
      urls: { ...urls, database: database.url },
      prefix: `${name}.`,
      bundles,
      seconds,
    });
    printUpgrade(upgrade);
    console.log(
      upgrade.faults.length === 0 ? '\ninterop: no errors' : `\ninterop: ${upgrade.faults.length} errors`,
    );
    return upgrade.faults.length === 0 ? 0 : 1;
  } finally {
    await database.drop();
  }
}

/**
 * Resolves to faults by form of request; errors in the logs of the services are a row of their own.
 * @param {AcquiredServices} services
 * @param {Readonly<Record<string, string>>} bundles
 * @returns {Promise<Faults>}
 */
async function tryPair({ urls, prefix }, bundles) {
  const { createTestDatabase } = await import('./services/test-database.mjs');
  const { startModelProcess, startScaledSystem } = await import('@millrace/scaled-system');
  const { tryForms } = await import('./interop/try-system.mjs');
  const { migrate } = await import('./interop/upgrade-under-load.mjs');
  /** @type {string[]} */
  const complaints = [];
  const database = await createTestDatabase(urls.database, `${prefix}_${randomBytes(3).toString('hex')}`);
  const model = await startModelProcess();
  try {
    await migrate(join(workspaceRoot, 'dist', 'apps'), database.url);
    const system = await startScaledSystem({
      urls: { ...urls, database: database.url },
      prefix: `${prefix}.${randomBytes(3).toString('hex')}.`,
      bundles,
      environment: {
        MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
        OPENAI_BASE_URL: model.url,
        OPENAI_API_KEY: 'sk-interop',
      },
      print: (line) => {
        if (/"level":"(?:error|fatal)"/.test(line)) complaints.push(line.slice(0, 400));
      },
    });
    try {
      const faults = await tryForms(system, flags.times);
      return { ...faults, 'errors in logs': complaints };
    } finally {
      await system.stop();
    }
  } catch (error) {
    return { start: [messageOf(error), ...complaints] };
  } finally {
    await model.stop();
    await database.drop();
  }
}

/**
 * @param {string} commit
 * @param {Readonly<Record<string, Faults>>} found
 */
function report(commit, found) {
  const names = Object.keys(found);
  const rows = [...new Set(names.flatMap((pair) => Object.keys(found[pair])))];
  /**
   * @param {string} pair
   * @param {string} row
   */
  const cell = (pair, row) => {
    const faults = found[pair][row];
    if (faults === undefined) return '-';
    return faults.length === 0 ? 'ok' : `${faults.length} faults`;
  };
  console.log(`\nwith ${commit}, each form ${flags.times} times\n`);
  console.log(['', ...names].map((text) => text.padEnd(26)).join(''));
  for (const row of rows)
    console.log([row, ...names.map((pair) => cell(pair, row))].map((text) => text.padEnd(26)).join(''));
  const faults = names.flatMap((pair) =>
    rows.flatMap((row) => [...new Set(found[pair][row] ?? [])].map((fault) => `${pair}, ${row}: ${fault}`)),
  );
  for (const fault of faults.slice(0, 30)) console.log(fault);
  console.log(faults.length === 0 ? '\ninterop: no errors' : `\ninterop: ${faults.length} different errors`);
  return faults.length === 0 ? 0 : 1;
}

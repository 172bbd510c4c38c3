// `npm run scaled -- --executors 4`: gateway, ingest and executors as separate processes, with prefixed log lines.
import './workspace/require-node-version.mjs';
import './workspace/print-uncaught-errors.mjs';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolders } from '../apps/standalone/src/make-folders.cjs';
import { shellWord } from '../apps/standalone/src/shell-word.cjs';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { wholeNumber } from '../libs/service/src/text/number-text.cjs';
import { prepareWorkspace } from './workspace/prepare-workspace.mjs';
import { workspaceRoot } from './workspace/workspace-root.mjs';
import { requireFreePort } from './workspace/require-free-port.mjs';
import { acquireServices, servicesOption } from './services/acquire-services.mjs';

const { values: flags } = readCommandLine({
  usage: `npm run scaled -- [options]
  --executors <n>    the number of executors; 2
  --concurrency <n>  how many runs each executor executes at a time; 64
  --pool <name>      the pool of the executors; default
  --port <number>    instead of 7860; 0 takes a free port
  --host <address>   instead of 127.0.0.1
  --services <ways>  where to get the servers, tried in this order: env, local, private, compose, apt
  --data <folder>    where the keys are stored, instead of .millrace
  --help`,
  options: {
    executors: { type: 'string', default: '2', parse: wholeNumber({ minimum: 1, maximum: 256 }) },
    concurrency: { type: 'string', default: '64', parse: wholeNumber({ minimum: 1, maximum: 4096 }) },
    pool: { type: 'string', default: 'default' },
    port: { type: 'string', default: '7860', parse: wholeNumber({ minimum: 0, maximum: 65_535 }) },
    host: { type: 'string', default: '127.0.0.1' },
    services: servicesOption,
    data: { type: 'string', default: '.millrace' },
  },
});

await requireFreePort({ host: flags.host, port: flags.port, command: 'npm run scaled --' });
prepareWorkspace({ build: true, onlyRun: true });
// Imported only now, because a fresh checkout had no packages.
const { startScaledSystem } = await import('@millrace/scaled-system');
/** @param {string} line */
const print = (line) => process.stdout.write(`${line}\n`);
const services = await acquireServices({ only: flags.services, keepData: true, print });
const keyFile = resolve(flags.data, 'scaled-api-key');
const givenKey = process.env.MILLRACE_BOOTSTRAP_API_KEY || undefined;
const system = await startScaledSystem({
  urls: { database: services.urls.database, broker: services.urls.broker, keyValue: services.urls.keyValue },
  pools: { [flags.pool]: flags.executors },
  concurrency: flags.concurrency,
  port: flags.port,
  host: flags.host,
  key: givenKey ?? kept('api-key', () => `sk-${randomBytes(32).toString('base64url')}`),
  environment: {
    MILLRACE_ENCRYPTION_KEY:
      process.env.MILLRACE_ENCRYPTION_KEY || kept('encryption-key', () => randomBytes(32).toString('base64')),
  },
  print,
}).catch(async (error) => {
  await services.stop();
  throw error;
});

let stopping = false;
for (const executor of system.executors) void keepRunning(executor);

await loadExamples();
const executors = flags.executors === 1 ? '1 executor' : `${flags.executors} executors`;
const isKept = !services.temporary.has('database');
print(`
Millrace   ${system.url}, with ${executors}
Console    ${system.url}/ in a browser; it asks for the key
API key    ${givenKey === undefined ? `stored in ${keyFile}` : 'the value of MILLRACE_BOOTSTRAP_API_KEY'}

Data       ${isKept ? 'in the PostgreSQL server named above' : 'NOT KEPT: the end of this command deletes all flows and runs. Set DATABASE_URL to keep them'}

In another terminal, set the key and the server, and list the flows:
  export MILLRACE_API_KEY="${keyExpression()}"
  export MILLRACE_URL='${system.url}'
  npx millrace flows list

Ctrl-C stops everything${isKept ? '' : ', and deletes the database'}.
`);
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, async () => {
    if (stopping) return;
    stopping = true;
    await system.stop();
    await services.stop();
    process.exit(0);
  });
}

/**
 * Starts another executor when this one ends because it was killed or used too much memory.
 * @param {import('@millrace/scaled-system').ServiceProcess} executor
 */
async function keepRunning(executor) {
  const { code, signal } = await executor.exited;
  if (stopping) return;
  print(`${executor.name} ended (${signal ?? code}); starting another executor`);
  await sleep(1_000);
  if (!stopping) void keepRunning(await system.startExecutor(flags.pool));
}

/** Gives the example flows to a user without flows, as the first start of `npm start` does. */
async function loadExamples() {
  const headers = { 'x-api-key': system.key, 'content-type': 'application/json' };
  const stored = await fetch(`${system.url}/api/v1/flows/?header_flows=true`, { headers });
  if (!stored.ok || /** @type {unknown[]} */ (await stored.json()).length > 0) return;
  const folder = join(workspaceRoot, 'examples');
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const flows = names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  const created = await fetch(`${system.url}/api/v1/flows/batch/`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ flows }),
  });
  print(
    created.ok
      ? `Imported ${flows.length} example flows`
      : `The example flows were refused: ${created.status}`,
  );
}

/** Returns the shell expression of the key, for use within double quotes. */
function keyExpression() {
  if (givenKey === undefined) return `$(cat ${shellWord(keyFile)})`;
  return '${MILLRACE_BOOTSTRAP_API_KEY:?set it to the key that the system was started with}';
}

/**
 * Returns a secret from the data folder, and creates it there first if it is missing (readable by its owner only).
 * @param {string} name
 * @param {() => string} make
 */
function kept(name, make) {
  const file = join(flags.data, `scaled-${name}`);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    makeFolders(resolve(flags.data));
    const value = make();
    writeFileSync(file, `${value}\n`, { mode: 0o600 });
    return value;
  }
}

// Gateway, ingest and executors as processes of one machine, for `npm run scaled` and `millrace up --scaled`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { makeFolders } from '../../apps/standalone/src/make-folders.cjs';
import { shellWord } from '../../apps/standalone/src/shell-word.cjs';
import { wholeNumber } from '../../libs/service/src/text/number-text.cjs';
import { acquireServices } from '../services/acquire-services.mjs';
import { requireFreePort } from '../workspace/require-free-port.mjs';
import { keepRunning } from './keep-running.mjs';

/** @import { OptionValues } from '../../libs/service/src/options/command-line.cjs' */

export const scaledOptions = /** @type {const} */ ({
  executors: { type: 'string', default: '2', parse: wholeNumber({ minimum: 1, maximum: 256 }) },
  concurrency: { type: 'string', default: '64', parse: wholeNumber({ minimum: 1, maximum: 4096 }) },
  pool: { type: 'string', default: 'default' },
  port: { type: 'string', default: '7860', parse: wholeNumber({ minimum: 0, maximum: 65_535 }) },
  host: { type: 'string', default: '127.0.0.1' },
  data: { type: 'string', default: '.millrace' },
});

export const scaledUsage = `  --executors <n>    the number of executors; 2
  --concurrency <n>  how many runs each executor executes at a time; 64
  --pool <name>      the pool of the executors; default
  --port <number>    instead of 7860; 0 takes a free port
  --host <address>   instead of 127.0.0.1
  --data <folder>    where the keys are stored, instead of .millrace`;

/**
 * Starts the services, and keeps them running until a signal ends the process, or a service cannot be kept running.
 * `prepare` installs and builds in a clone. `startScaledSystem` is loaded by the caller, after that.
 * @param {object} options
 * @param {OptionValues<typeof scaledOptions>} options.flags
 * @param {string} options.command how the process was started: the beginning of a command line to suggest
 * @param {string} options.cli how the command line is started
 * @param {readonly string[]} [options.ways] where to get the servers
 * @param {string} options.examples the folder of the example flows
 * @param {() => Promise<Pick<typeof import('@millrace/scaled-system'), 'startScaledSystem'>>} options.load
 */
export async function runScaled({ flags, command, cli, ways, examples, load }) {
  await requireFreePort({ host: flags.host, port: flags.port, command });
  const { startScaledSystem } = await load();
  const ending = endingOf();
  /** @param {string} line */
  const print = (line) => process.stdout.write(`${line}\n`);
  const services = await acquireServices({ ...(ways && { only: ways }), keepData: true, print });
  const { urls, temporary } = services;
  const keyFile = resolve(flags.data, 'scaled-api-key');
  const givenKey = process.env.MILLRACE_BOOTSTRAP_API_KEY || undefined;
  try {
    const system = await startScaledSystem({
      urls: { database: urls.database, broker: urls.broker, keyValue: urls.keyValue },
      pools: { [flags.pool]: flags.executors },
      concurrency: flags.concurrency,
      port: flags.port,
      host: flags.host,
      prefix: process.env.MILLRACE_PREFIX ?? '',
      folder: process.cwd(),
      signal: ending,
      key: givenKey ?? kept(flags.data, 'api-key', () => `sk-${randomBytes(32).toString('base64url')}`),
      environment: {
        MILLRACE_ENCRYPTION_KEY:
          process.env.MILLRACE_ENCRYPTION_KEY ||
          kept(flags.data, 'encryption-key', () => randomBytes(32).toString('base64')),
      },
      print,
    });
    try {
      await loadExamples(system, examples, print);
      printGreeting(system, { flags, cli, givenKey, keyFile, isKept: !temporary.has('database') });
      await keepRunning(system, ending, print);
    } finally {
      await system.stop();
    }
  } catch (error) {
    // What has not started when a signal comes is no failure.
    if (!ending.aborted) throw error;
  } finally {
    await services.stop();
  }
}

/** Returns a signal that aborts when the process is to end. */
function endingOf() {
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => ending.abort());
  return ending.signal;
}

/**
 * @param {import('@millrace/scaled-system').ScaledSystem} system
 * @param {{ readonly flags: OptionValues<typeof scaledOptions>, readonly cli: string, readonly givenKey: string | undefined, readonly keyFile: string, readonly isKept: boolean }} about
 */
function printGreeting({ url }, { flags, cli, givenKey, keyFile, isKept }) {
  const executors = flags.executors === 1 ? '1 executor' : `${flags.executors} executors`;
  const key =
    givenKey === undefined
      ? `$(cat ${shellWord(keyFile)})`
      : '${MILLRACE_BOOTSTRAP_API_KEY:?set it to the key that the system was started with}';
  process.stdout.write(`
Millrace   ${url}, with ${executors}
Console    ${url}/ in a browser; it asks for the key
API key    ${givenKey === undefined ? `stored in ${keyFile}` : 'the value of MILLRACE_BOOTSTRAP_API_KEY'}

Data       ${isKept ? 'in the PostgreSQL server named above' : 'NOT KEPT: the end of this command deletes all flows and runs. Set DATABASE_URL to keep them'}

In another terminal, set the key and the server, and list the flows:
  export MILLRACE_API_KEY="${key}"
  export MILLRACE_URL='${url}'
  ${cli} flows list

Ctrl-C stops everything${isKept ? '' : ', and deletes the database'}.

`);
}

/**
 * Gives the example flows to a user without flows, as the first start of the standalone app does.
 * @param {import('@millrace/scaled-system').ScaledSystem} system
 * @param {string} folder
 * @param {(line: string) => void} print
 */
async function loadExamples({ url, key }, folder, print) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const stored = await fetch(`${url}/api/v1/flows/?header_flows=true`, { headers });
  if (!stored.ok || /** @type {unknown[]} */ (await stored.json()).length > 0) return;
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const flows = names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  const body = JSON.stringify({ flows });
  const created = await fetch(`${url}/api/v1/flows/batch/`, { method: 'POST', headers, body });
  print(
    created.ok
      ? `Imported ${flows.length} example flows`
      : `The example flows were refused: ${created.status}`,
  );
}

/**
 * Returns a secret from the data folder, and creates it there first if it is missing (readable by its owner only).
 * @param {string} data
 * @param {string} name
 * @param {() => string} make
 */
function kept(data, name, make) {
  const file = join(data, `scaled-${name}`);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    makeFolders(resolve(data));
    const value = make();
    writeFileSync(file, `${value}\n`, { mode: 0o600 });
    return value;
  }
}

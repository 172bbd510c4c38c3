// `npm run verify-audit`: verifies the chain of the audit log, in a database or in an exported file, and names the first
// broken entry. Exits with 0 when the log is intact, with 1 when it is broken, with 2 when it cannot be read.
import './workspace/require-node-version.mjs';
import './workspace/print-uncaught-errors.mjs';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { readCommandLine, refuseCommandLine } from '../libs/service/src/options/command-line.cjs';
import { messageOf } from './workspace/error-fields.mjs';
import { installIfNeeded } from './workspace/install-if-needed.mjs';

/** @typedef {Awaited<ReturnType<typeof import('@millrace/runs').verifyExportedChain>>} ChainVerdict */

const BROKEN = 1;
const UNREADABLE = 2;
const { values: flags, positionals } = readCommandLine({
  usage: `npm run verify-audit -- [options] [exported file]
  --database <url>              verifies the log in this database; default DATABASE_URL, unless a file is named
  --contains <position>:<hash>  an entry that the log must contain: one that was kept elsewhere
  --json                        prints the result as JSON
  --help
Exits with 0 when the log is intact, with 1 when it is broken, with 2 when it cannot be read.`,
  options: {
    database: { type: 'string' },
    contains: { type: 'string', parse: chainLink },
    json: { type: 'boolean' },
  },
  positionals: { maximum: 1 },
});
const [file] = positionals;
const url = flags.database ?? process.env.DATABASE_URL ?? '';
if (file !== undefined && flags.database !== undefined)
  refuseCommandLine('a file and --database cannot be used together');
if (file === undefined && url === '')
  refuseCommandLine('name an exported file, or set --database or DATABASE_URL');
installIfNeeded(console.error);
// Imported only now, because the packages that it needs have just been installed.
const { loadWorkspaceCode } = await import('./workspace/load-workspace-code.mjs');
/** @type {Pick<typeof import('@millrace/runs'), 'verifyExportedChain' | 'verifyStoredChain'> & Pick<typeof import('@millrace/database'), 'openDatabase'> & Pick<typeof import('@millrace/service'), 'createLogger'>} */
const { createLogger, openDatabase, verifyExportedChain, verifyStoredChain } = await loadWorkspaceCode(
  `export { openDatabase } from '@millrace/database';
  export { verifyExportedChain, verifyStoredChain } from '@millrace/runs';
  export { createLogger } from '@millrace/service';`,
);
const contains = flags.contains === undefined ? [] : [flags.contains];
try {
  const verdict = file === undefined ? await verifyDatabase() : await verifyFile(file);
  print(verdict);
  process.exitCode = verdict.isIntact ? 0 : BROKEN;
} catch (error) {
  console.error(`the audit log cannot be read: ${messageOf(error)}`);
  process.exitCode = UNREADABLE;
}

/** @returns {Promise<ChainVerdict>} */
async function verifyDatabase() {
  const logger = createLogger({ name: 'verify-audit', level: 'silent' });
  const database = await openDatabase({ url, name: 'millrace-verify-audit', logger, maximumConnections: 1 });
  try {
    return await verifyStoredChain(database, contains);
  } finally {
    await database.close();
  }
}

/**
 * @param {string} path
 * @returns {Promise<ChainVerdict>}
 */
function verifyFile(path) {
  const input = createReadStream(path);
  const lines = createInterface({ input, crlfDelay: Infinity });
  // The lines end without an error when the file cannot be read.
  return Promise.race([
    new Promise((_resolve, reject) => void input.once('error', reject)),
    verifyExportedChain(lines, contains),
  ]);
}

/** @param {ChainVerdict} verdict */
function print(verdict) {
  if (flags.json) console.log(JSON.stringify(verdict));
  else if (!verdict.isIntact)
    console.log(`broken: the entry at position ${verdict.position}: ${verdict.reason}`);
  else {
    const { position, hash } = verdict.last;
    console.log(`intact: ${verdict.entries} entries; the last one is ${position}:${hash}`);
  }
}

/**
 * Reads a place in the chain.
 * @param {string} text
 */
function chainLink(text) {
  const [, position, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (position === undefined || hash === undefined)
    throw new Error('must be a position, a colon and a hash of 64 digits');
  return { position: Number(position), hash };
}

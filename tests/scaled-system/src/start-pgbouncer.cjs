// Starts a PgBouncer for one test: a separate process in front of a running database.
const { spawn } = require('node:child_process');
const { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { connect } = require('node:net');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { freePort } = require('@millrace/testing');

/**
 * @typedef {object} PgbouncerOptions
 * @property {string} program The path of the program.
 * @property {string} databaseUrl URL of the database behind it.
 * @property {'session' | 'transaction'} mode
 * @property {Readonly<Record<string, string | number>>} [settings] Additional settings of its configuration.
 *
 * @typedef {object} Pgbouncer
 * @property {string} url URL of the database through PgBouncer.
 * @property {number} pid
 * @property {() => Promise<void>} start Starts a killed PgBouncer again on its port.
 * @property {() => Promise<void>} kill Sends SIGKILL.
 * @property {() => Promise<void>} stop
 */

/** An unprivileged uid, because PgBouncer refuses to run as root. */
const UNPRIVILEGED = 65_534;
const READY_WITHIN_MILLISECONDS = 120_000;
const STOP_MILLISECONDS = 5_000;

/**
 * Starts `program` in front of the server of `databaseUrl` and resolves to { url, pid, start, stop, kill }: `url` is that
 * of the database through PgBouncer, and `start` starts a killed PgBouncer again on its port. `mode` is session or
 * transaction; `settings` are additional settings of its configuration.
 * @param {PgbouncerOptions} options
 * @returns {Promise<Pgbouncer>}
 */
module.exports.startPgbouncer = async function startPgbouncer({ program, databaseUrl, mode, settings = {} }) {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'millrace-pgbouncer-'));
  const configuration = join(directory, 'pgbouncer.ini');
  const log = join(directory, 'pgbouncer.log');
  writeFileSync(configuration, textOf({ databaseUrl, mode, port, log, settings }), { mode: 0o600 });
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const path of [directory, configuration]) chownSync(path, UNPRIVILEGED, UNPRIVILEGED);
  const user = isRoot ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
  /** @type {import('node:child_process').ChildProcess} */
  let child;
  /** @type {Promise<unknown>} */
  let ended;
  const start = async () => {
    child = spawn(program, ['-q', configuration], { ...user, cwd: '/', stdio: 'ignore' });
    /** @type {string | undefined} */
    let failure;
    ended = new Promise((resolve) => {
      child.once('error', (error) => resolve((failure = error.message)));
      child.once('exit', (code, signal) => resolve((failure = `ended with ${signal ?? code}`)));
    });
    const giveUpAt = Date.now() + READY_WITHIN_MILLISECONDS;
    while (!(await isOpen(port))) {
      if (failure !== undefined || Date.now() > giveUpAt)
        throw new Error(`PgBouncer did not start (${failure ?? 'no answer'})\n${lastOf(log)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  /** @param {NodeJS.Signals} signal */
  const end = async (signal) => {
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MILLISECONDS);
    await ended;
    clearTimeout(timer);
  };
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  const remove = () => rmSync(directory, { recursive: true, force: true });
  await start().catch((error) => {
    child.kill('SIGKILL');
    remove();
    throw error;
  });
  return {
    url: url.href,
    get pid() {
      return child.pid ?? NaN;
    },
    start,
    /** Sends SIGKILL: connections break; the files remain for `start`. */
    kill: () => end('SIGKILL'),
    /** Sends SIGTERM, which stops it at once, and deletes its files. */
    async stop() {
      if (child.exitCode === null && child.signalCode === null) await end('SIGTERM');
      remove();
    },
  };
};

/** @param {Pick<PgbouncerOptions, 'databaseUrl' | 'mode' | 'settings'> & { readonly port: number, readonly log: string }} options */
function textOf({ databaseUrl, mode, port, log, settings }) {
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
  const login = [`user=${decodeURIComponent(username) || 'postgres'}`];
  if (password !== '') login.push(`password='${decodeURIComponent(password).replaceAll("'", "''")}'`);
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    // All clients are authenticated as the user above.
    auth_type: 'any',
    pool_mode: mode,
    default_pool_size: 20,
    max_client_conn: 500,
    // Reconnect to an unreachable server after one second instead of fifteen.
    server_login_retry: 1,
    logfile: log,
    ...settings,
  };
  return [
    '[databases]',
    `* = host=${hostname} port=${serverPort || 5432} ${login.join(' ')}`,
    '[pgbouncer]',
    ...Object.entries(lines).map(([name, value]) => `${name} = ${value}`),
    '',
  ].join('\n');
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function isOpen(port) {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** @param {string} file */
function lastOf(file) {
  try {
    return readFileSync(file, 'utf8').slice(-2000);
  } catch {
    return '';
  }
}

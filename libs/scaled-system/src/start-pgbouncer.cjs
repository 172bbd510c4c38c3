// A PgBouncer of one test: a process of its own before a database that runs elsewhere.
const { spawn } = require('node:child_process');
const { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { connect, createServer } = require('node:net');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

/** PgBouncer refuses to run as root; this is `nobody`. */
const UNPRIVILEGED = 65_534;
const READY_WITHIN_MILLISECONDS = 10_000;
const STOP_MILLISECONDS = 5_000;

/**
 * Starts `program` before the server of `databaseUrl` and resolves to { url, pid, start, stop, kill }: `url` names the
 * same database behind it, `start` brings a stopped one back at its port. `mode` is session or transaction; `settings`
 * are further lines of its configuration.
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
  let child;
  let ended;
  const start = async () => {
    child = spawn(program, ['-q', configuration], { ...user, cwd: '/', stdio: 'ignore' });
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
      return child.pid;
    },
    start,
    /** SIGKILL: connections break; the files stay for `start`. */
    kill: () => end('SIGKILL'),
    /** SIGTERM stops it at once; nothing of it stays. */
    async stop() {
      if (child.exitCode === null && child.signalCode === null) await end('SIGTERM');
      remove();
    },
  };
};

function textOf({ databaseUrl, mode, port, log, settings }) {
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
  const login = [`user=${decodeURIComponent(username) || 'postgres'}`];
  if (password !== '') login.push(`password='${decodeURIComponent(password).replaceAll("'", "''")}'`);
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    // Whoever reaches it is let in as the user above.
    auth_type: 'any',
    pool_mode: mode,
    default_pool_size: 20,
    max_client_conn: 500,
    // A server that is away is asked again after a second, not after fifteen.
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

function isOpen(port) {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

function lastOf(file) {
  try {
    return readFileSync(file, 'utf8').slice(-2000);
  } catch {
    return '';
  }
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

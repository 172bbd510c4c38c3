// Starts a primary and a standby of PostgreSQL for one test.
const { execFile, spawn } = require('node:child_process');
const {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  chmodSync,
} = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { promisify } = require('node:util');
const { freePort, waitUntil } = require('@millrace/testing');

const run = promisify(execFile);

/**
 * @typedef {object} PostgresServer
 * @property {string} url
 * @property {string} host Host and port.
 * @property {() => Promise<void>} start
 * @property {() => Promise<void>} kill Ends the server and all its processes with SIGKILL.
 * @property {() => Promise<void>} freeze Stops all its processes with SIGSTOP: connections stay and nothing answers.
 * @property {() => Promise<void>} thaw
 * @property {() => Promise<void>} promote Makes a primary of a standby.
 * @property {(setting: string) => Promise<void>} configure Appends a line to postgresql.conf and reads it again.
 *
 * @typedef {object} PostgresPair
 * @property {PostgresServer} primary
 * @property {PostgresServer} standby
 * @property {string} url The address that names both.
 * @property {() => Promise<void>} stop
 */

/** Below the folder of Debian's packages, newest first; else where initdb is on the PATH. */
function programFolder() {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root)
    ? readdirSync(root).sort((one, other) => other.localeCompare(one, 'en', { numeric: true }))
    : [];
  const version = versions.find((name) => existsSync(join(root, name, 'bin', 'pg_basebackup')));
  return version === undefined ? '' : join(root, version, 'bin');
}

/**
 * With `isSynchronous` a commit waits until the standby has it.
 * @param {{ readonly isSynchronous: boolean, readonly database?: string }} options
 * @returns {Promise<PostgresPair>}
 */
module.exports.startPostgresPair = async function startPostgresPair({
  isSynchronous,
  database = 'postgres',
}) {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-postgres-pair-'));
  // PostgreSQL runs as a separate user, who needs access to this directory.
  chmodSync(directory, 0o755);
  const primary = await makeServer(join(directory, 'one'), (data) =>
    runAsServer('initdb', [
      '-D',
      data,
      '-A',
      'trust',
      '-U',
      'postgres',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    ]),
  );
  await primary.start();
  const standby = await makeServer(join(directory, 'two'), (data) =>
    runAsServer('pg_basebackup', ['-D', data, '-d', primary.url, '-R', '--checkpoint=fast', '--no-sync']),
  );
  await standby.start();
  if (isSynchronous) await primary.configure(`synchronous_standby_names = 'walreceiver'`);
  const servers = [primary, standby];
  return {
    primary,
    standby,
    url: `postgres://postgres@${servers.map(({ host }) => host).join(',')}/${database}`,
    async stop() {
      await Promise.all(servers.map((server) => server.kill()));
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

/**
 * @param {string} directory
 * @param {(data: string) => Promise<unknown>} make
 * @returns {Promise<PostgresServer>}
 */
async function makeServer(directory, make) {
  mkdirSync(directory);
  if (process.getuid?.() === 0) chownSync(directory, await idOf('-u'), await idOf('-g'));
  const data = join(directory, 'data');
  await make(data);
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const url = `postgres://postgres@${host}/postgres`;
  const options = [
    `-p ${port}`,
    '-c listen_addresses=127.0.0.1',
    `-c unix_socket_directories=${directory}`,
    '-c max_connections=200',
    '-c wal_keep_size=256MB',
    // The disk of a test stays: what is lost is lost with a machine.
    '-c fsync=off',
  ];
  /** @param {readonly string[]} words */
  const control = (words) => runAsServer('pg_ctl', ['-D', data, '-w', '-t', '60', ...words]);
  const pid = () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const processes = async () => {
    if (!existsSync(join(data, 'postmaster.pid'))) return [];
    const parent = pid();
    const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', String(parent)]).catch(() => ({
      stdout: '',
    }));
    return [parent, ...stdout.split('\n').map(Number).filter(Boolean)];
  };
  /** @param {NodeJS.Signals} signal */
  const signalAll = async (signal) => {
    for (const one of await processes()) {
      try {
        process.kill(one, signal);
      } catch {
        // It has ended already.
      }
    }
  };
  return {
    url,
    host,
    start: async () => {
      const log = join(directory, 'server.log');
      // A process that was forked while the server was killed holds its memory for a moment.
      await waitUntil(() => control(['-l', log, '-o', options.join(' '), 'start']), {
        deadlineMilliseconds: 20_000,
      }).catch((error) => {
        throw new Error(`${error}\n${readFileSync(log, 'utf8').slice(-2_000)}`, { cause: error });
      });
    },
    kill: async () => {
      const victims = await processes();
      await signalAll('SIGKILL');
      await waitUntil(
        () => {
          if (victims.some((victim) => isAlive(victim))) throw new Error('PostgreSQL did not end');
        },
        { deadlineMilliseconds: 20_000 },
      );
      rmSync(join(data, 'postmaster.pid'), { force: true });
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    promote: async () => {
      await control(['promote']);
    },
    configure: async (setting) => {
      appendFileSync(join(data, 'postgresql.conf'), `\n${setting}\n`);
      await control(['reload']);
    },
  };
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    // A zombie answers to a signal.
    return !/^State:\s+Z/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** @param {string} flag */
async function idOf(flag) {
  return Number((await run('id', [flag, 'postgres'])).stdout.trim());
}

/**
 * PostgreSQL refuses to run as root, so root runs it as the user that its package created.
 * @param {string} name
 * @param {readonly string[]} words
 */
function runAsServer(name, words) {
  const program = join(programFolder(), name);
  const command = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--', program] : [program];
  const [file = program, ...before] = command;
  // A server that pg_ctl starts would keep the pipes of its output open.
  return new Promise((resolve, reject) => {
    const child = spawn(file, [...before, ...words], { stdio: 'ignore', cwd: '/' });
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve(undefined) : reject(new Error(`${name} ${words.join(' ')} ended with ${code}`)),
    );
  });
}

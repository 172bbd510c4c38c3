import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { connect } from 'node:tls';
import { freePort, waitUntil } from '../../tests/kit/src/index.cjs';
import { findProgram, versionFolders } from './find-program.mjs';
import { startServerProcess } from './server-process.mjs';
import { rabbitmqVersion } from './server-clients.mjs';
import { runCommand } from './run-command.mjs';

/** @import { ServerProcess } from './server-process.mjs' */

/**
 * @typedef {{ readonly ca: string, readonly cert: string, readonly key: string, readonly clientsHaveCertificates?: boolean }} TlsFiles Paths of PEM files.
 *
 * @typedef {object} PrivateRabbitmq
 * @property {string} url
 * @property {number} [tlsPort]
 * @property {() => Promise<void>} stop
 * @property {() => Promise<void>} start
 * @property {() => Promise<void>} kill
 * @property {() => number | undefined} pid
 * @property {(...words: string[]) => Promise<string>} control Runs rabbitmqctl.
 * @property {(...words: string[]) => Promise<string>} queues Runs rabbitmq-queues.
 */

export const isRabbitmqInstalled = () => programFolder() !== undefined;

/**
 * Starts a private broker with its own Erlang port mapper. Its node is named …@localhost, because the machine's host name
 * might not resolve. Resolves to { url, tlsPort, stop, kill, start, pid, control, queues }: `start` restarts a killed
 * broker on its data, `control(...words)` runs rabbitmqctl, `queues(...words)` rabbitmq-queues. With `tls`, { ca, cert,
 * key } as paths of PEM files, it also listens on `tlsPort` for clients with a certificate of that authority, or without one as `clientsHaveCertificates: false` says.
 * @param {{ readonly directory: string, readonly tls?: TlsFiles }} options
 * @returns {Promise<PrivateRabbitmq>}
 */
export async function startPrivateRabbitmq({ directory, tls }) {
  mkdirSync(directory, { recursive: true });
  const [port, distributionPort, mapperPort] = [await freePort(), await freePort(), await freePort()];
  const tlsPort = tls === undefined ? undefined : await freePort();
  /**
   * @param {string} name
   * @param {string} text
   */
  const file = (name, text) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const environment = {
    PATH: [process.env.PATH, '/usr/sbin', '/sbin'].join(':'),
    LANG: 'C.UTF-8',
    HOME: directory,
    RABBITMQ_NODENAME: `millrace${randomBytes(3).toString('hex')}@localhost`,
    RABBITMQ_DIST_PORT: String(distributionPort),
    ERL_EPMD_PORT: String(mapperPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_CONFIG_FILE: file(
      'rabbitmq.conf',
      `listeners.tcp.default = 127.0.0.1:${port}\ndisk_free_limit.absolute = 50MB\n${tlsLines(tlsPort, tls)}`,
    ),
    RABBITMQ_ENABLED_PLUGINS_FILE: file('enabled_plugins', '[].\n'),
    RABBITMQ_MNESIA_BASE: join(directory, 'mnesia'),
    RABBITMQ_LOG_BASE: join(directory, 'log'),
  };
  const url = `amqp://guest:guest@127.0.0.1:${port}`;
  /** @type {ServerProcess | undefined} */
  let server;
  const start = async () => {
    server = startServerProcess(join(requireProgramFolder(), 'rabbitmq-server'), [], {
      environment,
      log: join(directory, 'server.log'),
      stopMilliseconds: 30_000,
    });
    await waitUntil(() => rabbitmqVersion(url), {
      deadlineMilliseconds: 90_000,
      fatalReason: server.endReason,
    });
    if (tlsPort !== undefined && tls !== undefined)
      await waitUntil(() => handshake(tlsPort, tls), {
        deadlineMilliseconds: 90_000,
        fatalReason: server.endReason,
      });
  };
  const stop = async () => {
    await server?.stop();
    await stopPortMapper(environment);
  };
  try {
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  /**
   * @param {string} name
   * @returns {(...words: string[]) => Promise<string>}
   */
  const tool =
    (name) =>
    (...words) =>
      runCommand(join(requireProgramFolder(), name), words, { environment, deadlineMilliseconds: 90_000 });
  return {
    url,
    tlsPort,
    stop,
    start,
    kill: async () => server?.kill(),
    pid: () => server?.pid,
    control: tool('rabbitmqctl'),
    queues: tool('rabbitmq-queues'),
  };
}

/**
 * @param {number | undefined} port
 * @param {TlsFiles | undefined} tls
 */
function tlsLines(port, tls) {
  if (tls === undefined) return '';
  return [
    `listeners.ssl.default = 127.0.0.1:${port}`,
    `ssl_options.cacertfile = ${tls.ca}`,
    `ssl_options.certfile = ${tls.cert}`,
    `ssl_options.keyfile = ${tls.key}`,
    ...(tls.clientsHaveCertificates === false
      ? ['ssl_options.verify = verify_none']
      : ['ssl_options.verify = verify_peer', 'ssl_options.fail_if_no_peer_cert = true']),
    // The defaults, 5 and 10 seconds, are too short on a busy machine.
    'ssl_handshake_timeout = 60000',
    'handshake_timeout = 60000',
    '',
  ].join('\n');
}

/**
 * Resolves after a TLS handshake. The broker listens with TLS later than without, and its first handshake is slow.
 * @param {number} port
 * @param {TlsFiles} tls
 */
async function handshake(port, tls) {
  const [ca, cert, key] = [tls.ca, tls.cert, tls.key].map((path) => readFileSync(path));
  const socket = connect({ host: '127.0.0.1', port, ca, cert, key, timeout: 30_000 });
  socket.once('timeout', () =>
    socket.destroy(new Error(`no TLS handshake at port ${port} within 30 seconds`)),
  );
  try {
    await once(socket, 'secureConnect');
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}

/** Returns the folder of the server's scripts. The script on the PATH changes the user and drops the environment. */
function programFolder() {
  const [newest] = versionFolders('/usr/lib/rabbitmq/lib', 'rabbitmq_server-');
  if (newest !== undefined) return join(newest, 'sbin');
  const onPath = process.platform === 'linux' ? undefined : findProgram('rabbitmq-server');
  return onPath !== undefined && existsSync(onPath) ? dirname(onPath) : undefined;
}

/** As programFolder; throws when there is none. */
export function requireProgramFolder() {
  const folder = programFolder();
  if (folder === undefined) throw new Error('not installed: RabbitMQ');
  return folder;
}

/**
 * Stops the port mapper, a daemon that outlives its node and refuses to stop while a node is registered.
 * @param {NodeJS.ProcessEnv} environment
 */
export async function stopPortMapper(environment) {
  const kill = async () => {
    const output = await runCommand('epmd', ['-kill'], { environment, deadlineMilliseconds: 10_000 });
    if (/not allowed/i.test(output)) throw new Error(output);
  };
  await waitUntil(kill, { deadlineMilliseconds: 5000 }).catch(() => undefined);
}

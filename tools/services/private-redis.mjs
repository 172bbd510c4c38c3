import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { freePort, waitUntil } from '../../tests/kit/src/index.cjs';
import { findProgram, requireProgram } from './find-program.mjs';
import { startServerProcess } from './server-process.mjs';
import { redisVersion } from './server-clients.mjs';

/** @import { TlsFiles } from './private-rabbitmq.mjs' */
/** @import { ServerProcess } from './server-process.mjs' */

/** @typedef {Awaited<ReturnType<typeof startPrivateRedis>>} PrivateRedis */

const PROGRAMS = ['redis-server', 'valkey-server'];

export const isRedisInstalled = () => findProgram(...PROGRAMS) !== undefined;

/**
 * Starts a private server without persistence. Resolves to { url, stop, kill, start, freeze, thaw, pid }; `start` starts
 * an empty server on the same port. With `tls`, { ca, cert, key } as paths of PEM files, it also listens on `tlsPort` for
 * clients with a certificate of that authority.
 * @param {{ readonly directory: string, readonly tls?: TlsFiles }} options
 */
export async function startPrivateRedis({ directory, tls }) {
  mkdirSync(directory, { recursive: true });
  const port = await freePort();
  const tlsPort = tls === undefined ? undefined : await freePort();
  const flags = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    directory,
    ...tlsFlags(tlsPort, tls),
  ];
  const url = `redis://127.0.0.1:${port}`;
  /** @type {ServerProcess | undefined} */
  let server;
  const start = async () => {
    server = startServerProcess(requireProgram(...PROGRAMS), flags, { log: join(directory, 'server.log') });
    await waitUntil(() => redisVersion(url), {
      deadlineMilliseconds: 20_000,
      fatalReason: server.endReason,
    });
  };
  try {
    await start();
  } catch (error) {
    await server?.stop();
    throw error;
  }
  return {
    url,
    tlsPort,
    start,
    kill: async () => server?.kill(),
    freeze: () => server?.freeze(),
    thaw: () => server?.thaw(),
    pid: () => server?.pid,
    stop: async () => server?.stop(),
  };
}

/**
 * @param {number | undefined} port
 * @param {TlsFiles | undefined} tls
 * @returns {string[]}
 */
function tlsFlags(port, tls) {
  if (tls === undefined) return [];
  const { ca, cert, key } = tls;
  const files = ['--tls-ca-cert-file', ca, '--tls-cert-file', cert, '--tls-key-file', key];
  return ['--tls-port', String(port), ...files, '--tls-auth-clients', 'yes'];
}

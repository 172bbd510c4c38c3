import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { findProgram } from './find-program.mjs';
import { freePort } from './free-port.mjs';
import { startOwnProcess } from './own-process.mjs';
import { RedisConnection } from './redis-connection.mjs';
import { waitUntil } from './wait-until.mjs';

const program = () => findProgram('redis-server', 'valkey-server');

export const isRedisInstalled = () => program() !== undefined;

/**
 * Starts a server that nobody else uses, without persistence. Resolves to { url, stop, kill, start, freeze, thaw, pid };
 * `start` puts an empty one on the same port. With `tls`, { ca, cert, key } as paths of PEM files, it also listens at
 * `tlsPort`, for clients that show a certificate of that authority.
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
  let server;
  const start = async () => {
    server = startOwnProcess(program(), flags, { log: join(directory, 'server.log') });
    const connection = await waitUntil(() => RedisConnection.connect(url), {
      deadlineMilliseconds: 20_000,
      isHopeless: server.endReason,
    });
    connection.close();
  };
  try {
    await start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    url,
    tlsPort,
    start,
    kill: () => server.kill(),
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    pid: () => server.pid,
    stop: () => server.stop(),
  };
}

function tlsFlags(port, tls) {
  if (tls === undefined) return [];
  const { ca, cert, key } = tls;
  const files = ['--tls-ca-cert-file', ca, '--tls-cert-file', cert, '--tls-key-file', key];
  return ['--tls-port', String(port), ...files, '--tls-auth-clients', 'yes'];
}

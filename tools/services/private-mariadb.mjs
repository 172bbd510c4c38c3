import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, waitUntil } from '../../tests/kit/src/index.cjs';
import { findProgram, requireProgram } from './find-program.mjs';
import { mariadbVersion } from './server-clients.mjs';
import { startServerProcess } from './server-process.mjs';
import { runCommand } from './run-command.mjs';

const PROGRAM = 'mariadbd';
const INSTALLER = 'mariadb-install-db';

export const isMariadbInstalled = () =>
  findProgram(PROGRAM) !== undefined && findProgram(INSTALLER) !== undefined;

/**
 * Starts a private server with a database `test` and a user `root` without a password. The server does not wait for the
 * disk. Resolves to { url, stop }.
 * @param {{ readonly directory: string }} options
 */
export async function startPrivateMariadb({ directory }) {
  mkdirSync(directory, { recursive: true });
  const data = join(directory, 'data');
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];
  const create = ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal'];
  await runCommand(requireProgram(INSTALLER), [...create, ...asRoot], { deadlineMilliseconds: 120_000 });
  const port = await freePort();
  const flags = [
    '--no-defaults',
    ...asRoot,
    `--datadir=${data}`,
    `--socket=${join(directory, 'server.socket')}`,
    `--pid-file=${join(directory, 'server.pid')}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    '--innodb-flush-log-at-trx-commit=0',
    '--innodb-buffer-pool-size=32M',
  ];
  const server = startServerProcess(requireProgram(PROGRAM), flags, { log: join(directory, 'server.log') });
  const url = `mysql://root@127.0.0.1:${port}/test`;
  try {
    await waitUntil(() => mariadbVersion(url), {
      deadlineMilliseconds: 60_000,
      fatalReason: server.endReason,
    });
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { url, stop: () => server.stop() };
}

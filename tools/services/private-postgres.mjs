import { chmodSync, chownSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort } from '../../tests/kit/src/index.cjs';
import { findProgram, versionFolders } from './find-program.mjs';
import { runCommand } from './run-command.mjs';

/** @import { TlsFiles } from './private-rabbitmq.mjs' */

/** @typedef {Awaited<ReturnType<typeof startPrivatePostgres>>} PrivatePostgres */

const isRoot = () => process.getuid?.() === 0;

export const isPostgresInstalled = () => programFolder() !== undefined;

/**
 * Starts a private server. Without `durable`, a transaction does not wait for the disk, unless its database says so. Resolves to { url, stop, crash, start, pid }:
 * `crash` stops it immediately, after which `start` recovers from the write-ahead log. PostgreSQL refuses to run as root,
 * so root runs it as the user that its package created. With `tls`, { ca, cert, key } as paths of PEM files that belong to
 * the server, it accepts TCP connections only over TLS with a client certificate.
 * @param {{ readonly directory: string, readonly durable?: boolean, readonly tls?: TlsFiles }} options
 */
export async function startPrivatePostgres({ directory, durable = false, tls }) {
  mkdirSync(directory, { recursive: true });
  if (isRoot()) await changeOwner('postgres', directory);
  const data = join(directory, 'data');
  const bin = programFolder() ?? '';
  const port = await freePort();
  const create = ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C.UTF-8'];
  await runAsServer(join(bin, 'initdb'), durable ? create : [...create, '--no-sync'], 120_000);
  const options = [
    `-p ${port}`,
    '-c listen_addresses=127.0.0.1',
    `-c unix_socket_directories=${directory}`,
    '-c max_connections=200',
    ...(durable ? [] : ['-c synchronous_commit=off']),
  ];
  if (tls !== undefined) options.push(...(await tlsOptions(directory, data, tls)));
  const log = join(directory, 'server.log');
  /** @param {...string} words */
  const control = (...words) =>
    runAsServer(join(bin, 'pg_ctl'), ['-D', data, '-w', '-t', '60', ...words], 70_000);
  const start = () => control('-l', log, '-o', options.join(' '), 'start');
  await start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start,
    crash: () => control('-m', 'immediate', 'stop'),
    pid: () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]),
    stop: () => control('-m', 'fast', 'stop'),
  };
}

/**
 * Returns the server options for TLS. Copies the key, because PostgreSQL refuses one that other users can read.
 * @param {string} directory
 * @param {string} data
 * @param {TlsFiles} tls
 */
async function tlsOptions(directory, data, { ca, cert, key }) {
  const ownKey = join(directory, 'server.key');
  copyFileSync(key, ownKey);
  chmodSync(ownKey, 0o600);
  if (isRoot()) await changeOwner('postgres', ownKey);
  writeFileSync(
    join(data, 'pg_hba.conf'),
    'hostssl all all 127.0.0.1/32 trust clientcert=verify-ca\nlocal all all trust\n',
  );
  return ['-c ssl=on', `-c ssl_ca_file=${ca}`, `-c ssl_cert_file=${cert}`, `-c ssl_key_file=${ownKey}`];
}

function programFolder() {
  const [newest] = versionFolders('/usr/lib/postgresql')
    .map((folder) => join(folder, 'bin'))
    .filter((folder) => findIn(folder));
  if (newest !== undefined) return newest;
  const onPath = findProgram('initdb');
  return onPath === undefined ? undefined : dirname(onPath);
}

/** @param {string} folder */
function findIn(folder) {
  return versionFolders(folder, 'initdb').length > 0;
}

/**
 * @param {string} program
 * @param {readonly string[]} words
 * @param {number} deadlineMilliseconds
 */
function runAsServer(program, words, deadlineMilliseconds) {
  if (!isRoot()) return runCommand(program, words, { deadlineMilliseconds });
  return runCommand('runuser', ['-u', 'postgres', '--', program, ...words], { deadlineMilliseconds });
}

/**
 * @param {string} user
 * @param {string} directory
 */
async function changeOwner(user, directory) {
  const [userId, groupId] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await runCommand('id', [flag, user])).trim())),
  );
  chownSync(directory, userId, groupId);
}

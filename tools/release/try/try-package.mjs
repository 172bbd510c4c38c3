import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import testing from '@millrace/testing';
import { run } from '../run.mjs';
import { runFlow, startServer } from './server.mjs';

/**
 * Installs the package as a user does, starts it and runs a flow. Returns its command, and lines about what happened.
 * @param {{ readonly tarball: string, readonly work: string, readonly version: string }} options
 */
export async function tryPackage({ tarball, work, version }) {
  const prefix = join(work, 'installed');
  const cwd = join(work, 'package');
  mkdirSync(cwd);
  const began = Date.now();
  run('npm', ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', tarball]);
  const seconds = (Date.now() - began) / 1000;
  const command = join(prefix, 'bin', 'millrace');
  const printed = run(command, ['--version']).trim();
  if (printed !== version) throw new Error(`millrace --version printed ${printed} instead of ${version}`);
  const port = await testing.freePort();
  const server = await startServer(command, ['up', '--port', String(port)], { port, cwd });
  try {
    await runFlow(server.url);
  } finally {
    await server.stop();
  }
  const [megabytes = ''] = run('du', ['-sm', prefix]).split('\t');
  return {
    command,
    lines: [
      `package: npm install --global ${seconds.toFixed(1)} s, ${megabytes} MB; ready after ${server.seconds.toFixed(1)} s; a flow ran`,
    ],
  };
}

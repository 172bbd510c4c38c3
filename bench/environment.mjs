import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '../tools/workspace/workspace-root.mjs';

/**
 * @typedef {object} MachineEnvironment
 * @property {string} at
 * @property {string} revision
 * @property {boolean} isModified
 * @property {string} node
 * @property {string} v8
 * @property {string} system
 * @property {string} processor
 * @property {number} processors
 * @property {number} memoryGibibytes
 * @property {number} loadBefore
 * @property {Readonly<Record<string, string>>} libraries
 * @property {Readonly<Record<string, string | undefined>>} [servers]
 */

const libraries = ['express', 'amqplib', 'pg', 'ioredis', 'undici', 'autocannon'];

/**
 * Returns the machine, versions and revision of the figures. The caller adds `servers` when they are started.
 * @returns {MachineEnvironment}
 */
export function environment() {
  return {
    at: new Date().toISOString(),
    revision: git('rev-parse', 'HEAD'),
    isModified: git('status', '--porcelain', '--untracked-files=no') !== '',
    node: process.version,
    v8: process.versions.v8,
    system: `${process.platform} ${release()} ${process.arch}`,
    processor: cpus()[0]?.model ?? 'unknown',
    processors: cpus().length,
    memoryGibibytes: Math.round(totalmem() / 2 ** 30),
    loadBefore: loadavg()[0],
    libraries: Object.fromEntries(libraries.map((name) => [name, version(name)])),
  };
}

/** @param {...string} words */
function git(...words) {
  const { status, stdout } = spawnSync('git', words, { cwd: workspaceRoot, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : 'unknown';
}

/**
 * @param {string} name
 * @returns {string}
 */
function version(name) {
  const manifest = join(workspaceRoot, 'node_modules', name, 'package.json');
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}

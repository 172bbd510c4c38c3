import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '../tools/workspace-root.mjs';

const libraries = ['express', 'amqplib', 'pg', 'ioredis', 'openai', 'undici', 'autocannon'];

/** Returns the machine, versions and revision of the figures. The caller adds `servers` when they are started. */
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

function git(...words) {
  const { status, stdout } = spawnSync('git', words, { cwd: workspaceRoot, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : 'unknown';
}

function version(name) {
  const manifest = join(workspaceRoot, 'node_modules', name, 'package.json');
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

const DEADLINE_MILLISECONDS = 120_000;
const MAXIMUM_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Runs one command of tools/chart/helm.py and returns its value. Throws with Helm's own text.
 * @param {string} python the interpreter that has Helm
 * @param {{ readonly command: 'render' | 'lint' | 'package' | 'push' | 'pull' } & Readonly<Record<string, unknown>>} request
 * @returns {any}
 */
export function runHelm(python, request) {
  const ended = spawnSync(python, ['-I', join(workspaceRoot, 'tools', 'chart', 'helm.py')], {
    input: JSON.stringify(request),
    encoding: 'utf8',
    timeout: DEADLINE_MILLISECONDS,
    maxBuffer: MAXIMUM_OUTPUT_BYTES,
  });
  if (ended.error !== undefined) throw new Error(`${python} cannot be started: ${ended.error.message}`);
  if (ended.status !== 0) throw new Error(ended.stderr.trim());
  const { value, error } = JSON.parse(ended.stdout);
  if (error !== undefined) throw new Error(error);
  return value;
}

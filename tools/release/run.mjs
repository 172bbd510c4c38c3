import { execFileSync } from 'node:child_process';

const DEADLINE_MILLISECONDS = 600_000;
const MAXIMUM_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Runs a program of a release to its end and returns what it printed. Throws with the end of its output when it fails.
 * @param {string} program
 * @param {readonly string[]} words
 * @param {{ readonly cwd?: string, readonly environment?: NodeJS.ProcessEnv }} [options]
 */
export function run(program, words, { cwd, environment } = {}) {
  try {
    return execFileSync(program, words, {
      cwd,
      env: { ...process.env, ...environment },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: DEADLINE_MILLISECONDS,
      maxBuffer: MAXIMUM_OUTPUT_BYTES,
    });
  } catch (error) {
    const { stderr = '', message } = /** @type {Error & { stderr?: string }} */ (error);
    throw new Error(`${program} ${words[0] ?? ''} failed: ${stderr.slice(-2_000) || message}`, {
      cause: error,
    });
  }
}

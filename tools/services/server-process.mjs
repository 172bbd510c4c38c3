import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

/** @typedef {ReturnType<typeof startServerProcess>} ServerProcess */

/**
 * Starts a server in a separate process group, so that Ctrl-C reaches only the command, which then stops the server in
 * order. Writes its output to a file. `stop` sends SIGTERM and, after the deadline, SIGKILL; `kill`, `freeze` and `thaw`
 * are for tests of outages.
 * @param {string} program
 * @param {readonly string[]} words
 * @param {{ readonly log: string, readonly environment?: NodeJS.ProcessEnv, readonly stopMilliseconds?: number }} options
 */
export function startServerProcess(
  program,
  words,
  { log, environment = process.env, stopMilliseconds = 15_000 },
) {
  const output = openSync(log, 'a');
  const child = spawn(program, words, {
    env: environment,
    detached: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  child.unref();
  /** @type {string | undefined} */
  let endReason;
  const ended = new Promise((resolve) => {
    child.once('error', (error) =>
      resolve((endReason = `${program} could not be started: ${error.message}`)),
    );
    child.once('exit', (code, signal) => {
      endReason = `${program} ended (${signal ?? code})\n${readFileSync(log, 'utf8').slice(-4000)}`;
      resolve(endReason);
    });
  });
  /** @param {NodeJS.Signals} signal */
  const signalGroup = (signal) => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, signal);
    } catch {
      // The process has already ended.
    }
  };
  return {
    pid: child.pid,
    /**
     * Returns why the server ended; undefined while it runs.
     * @returns {string | undefined}
     */
    endReason: () => endReason,
    /** Sends SIGSTOP: the server keeps its connections and does not respond. */
    freeze: () => signalGroup('SIGSTOP'),
    /** Sends SIGCONT. */
    thaw: () => signalGroup('SIGCONT'),
    /** Sends SIGKILL; resolves when the process has ended. */
    async kill() {
      signalGroup('SIGKILL');
      await ended;
    },
    async stop() {
      if (endReason !== undefined) return;
      signalGroup('SIGTERM');
      const timer = setTimeout(() => signalGroup('SIGKILL'), stopMilliseconds);
      await ended;
      clearTimeout(timer);
    },
  };
}

import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

/**
 * Starts a server in a process group of its own, so that Ctrl-C reaches the command first and the server is stopped
 * in order. Its output goes to a file. `stop` asks with SIGTERM and, past the deadline, insists; `kill`, `freeze` and
 * `thaw` are for tests of what others do meanwhile.
 */
export function startOwnProcess(
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
  const signalGroup = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // Already gone.
    }
  };
  return {
    pid: child.pid,
    /** Why the server is no longer there; undefined while it is. */
    endReason: () => endReason,
    /** SIGSTOP: it keeps its connections and answers nothing. */
    freeze: () => signalGroup('SIGSTOP'),
    /** SIGCONT. */
    thaw: () => signalGroup('SIGCONT'),
    /** SIGKILL, at once. */
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

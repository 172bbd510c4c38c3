import { spawn } from 'node:child_process';

const OUTPUT_DRAIN_MILLISECONDS = 1_000;

/**
 * @typedef {object} CommandOptions
 * @property {number} [deadlineMilliseconds]
 * @property {NodeJS.ProcessEnv} [environment] default that of this process
 * @property {(text: string) => void} [print] gets the output as it arrives
 * @property {AbortSignal} [signal] kills the program
 */

/**
 * Runs a program to its end and resolves to its output. Rejects with the end of its output when it fails or exceeds the
 * deadline.
 * @param {string} program
 * @param {readonly string[]} words
 * @param {CommandOptions} [options]
 * @returns {Promise<string>}
 */
export function runCommand(
  program,
  words,
  { deadlineMilliseconds = 60_000, environment, print, signal } = {},
) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      env: environment ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
      killSignal: 'SIGKILL',
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output = (output + chunk).slice(-20_000);
        print?.(chunk.toString());
      });
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, deadlineMilliseconds);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      const finish = () => {
        clearTimeout(drained);
        for (const stream of [child.stdout, child.stderr]) stream.destroy();
        if (code === 0) return resolve(output);
        const reason = late ? `took longer than ${deadlineMilliseconds} ms` : `exited with ${code}`;
        reject(new Error(`${program} ${words[0] ?? ''} ${reason}\n${output.slice(-2000)}`));
      };
      // Output can still arrive after the exit, but a daemon that the program started keeps the pipes open.
      const drained = setTimeout(finish, OUTPUT_DRAIN_MILLISECONDS);
      child.once('close', finish);
    });
  });
}

/**
 * Resolves to whether the program starts and exits with 0.
 * @param {string} program
 * @param {readonly string[]} words
 */
export function succeeds(program, words) {
  return runCommand(program, words, { deadlineMilliseconds: 15_000 }).then(
    () => true,
    () => false,
  );
}

// Starts a service from its bundle as a separate process and prefixes its log lines.
const { spawn } = require('node:child_process');
const { join } = require('node:path');
const { createInterface } = require('node:readline');

/**
 * @typedef {{ readonly code: number | null, readonly signal: string | null }} Exit
 *
 * @typedef {object} ServiceProcess
 * @property {string} name
 * @property {number} pid
 * @property {import('node:child_process').ChildProcess} child
 * @property {Readonly<Record<string, unknown>>} ready The fields of the log line that reports that the service is ready.
 * @property {Promise<Exit>} exited
 * @property {() => void} kill Sends SIGKILL.
 * @property {(deadlineMilliseconds?: number) => Promise<Exit>} stop Sends SIGTERM, and SIGKILL after the deadline.
 *
 * @typedef {object} StartServiceOptions
 * @property {string} app
 * @property {string} [name]
 * @property {readonly string[]} [flags]
 * @property {Readonly<Record<string, string>>} [environment]
 * @property {string} [bundles] Folder of the bundles; default dist/apps.
 * @property {string} [folder] The working folder; the root of the repository unless given.
 * @property {AbortSignal} [signal] Ends the service while it is starting.
 * @property {readonly string[]} [program] The file to start and its first arguments; default <bundles>/<app>/main.cjs.
 */

const ROOT = join(__dirname, '..', '..', '..');

/** How images and units start services: with less memory, and as much throughput (bench/README.md, B10). */
const NODE_FLAGS = [
  '--max-semi-space-size=16',
  '--heap-growing-percent=100',
  '--external-memory-accounted-in-global-limit',
];
module.exports.nodeFlags = NODE_FLAGS;
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2' };
/** A deadline for a hang: a busy machine is slow. */
const READY_WITHIN_MILLISECONDS = 300_000;

/**
 * Starts a service and resolves when it logs that it is ready, to { name, pid, child, ready, stop, kill,
 * exited }; `ready` contains the fields of that log line. `print(line)` is called with every line of output, prefixed.
 * @param {StartServiceOptions & { readonly print?: ((line: string) => void) | undefined }} options
 * @returns {Promise<ServiceProcess>}
 */
module.exports.startServiceProcess = function startServiceProcess({
  app,
  name = app,
  flags = [],
  environment,
  bundles = join(ROOT, 'dist', 'apps'),
  program = [join(bundles, app, 'main.cjs')],
  folder = ROOT,
  signal: ending,
  print,
}) {
  const child = spawn(process.execPath, [...NODE_FLAGS, ...program, ...flags], {
    cwd: folder,
    // The lines are parsed here, so ignore the LOG_FORMAT of the environment.
    env: { ...process.env, ...ENVIRONMENT, LOG_FORMAT: 'json', ...environment },
    // The service stops when the channel closes: when this process is killed.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  /** @type {Promise<Exit>} */
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  /** @type {string[]} */
  const tail = [];
  /** @type {Promise<Readonly<Record<string, unknown>>>} */
  const ready = new Promise((resolve, reject) => {
    const end = () => void child.kill('SIGTERM');
    ending?.addEventListener('abort', end, { once: true });
    if (ending?.aborted === true) end();
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${name} was not ready in time:\n${tail.join('\n')}`));
    }, READY_WITHIN_MILLISECONDS);
    /** @param {string} line */
    const read = (line) => {
      tail.push(line);
      if (tail.length > 30) tail.shift();
      print?.(`${name.padEnd(12)} ${line}`);
      if (!line.includes(': ready')) return;
      clearTimeout(timer);
      ending?.removeEventListener('abort', end);
      resolve(fieldsOf(line));
    };
    for (const stream of [child.stdout, child.stderr])
      if (stream !== null) createInterface({ input: stream }).on('line', read);
    void exited.then(({ code, signal }) => {
      clearTimeout(timer);
      reject(new Error(`${name} ended (${signal ?? code}) before it was ready:\n${tail.join('\n')}`));
    });
  });
  return ready.then((fields) => ({
    name,
    pid: child.pid ?? NaN,
    child,
    ready: fields,
    exited,
    kill: () => void child.kill('SIGKILL'),
    async stop(deadlineMilliseconds = 40_000) {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMilliseconds);
      const end = await exited;
      clearTimeout(timer);
      return end;
    },
  }));
};

/**
 * @param {string} line
 * @returns {Readonly<Record<string, unknown>>}
 */
function fieldsOf(line) {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

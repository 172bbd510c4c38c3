import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startServiceProcess } from '@millrace/scaled-system';

/** @import { ServiceProcess, StartServiceOptions } from '@millrace/scaled-system' */

/**
 * @typedef {StartServiceOptions & { readonly name: string, readonly print: (line: string) => void }} ServiceOptions
 *
 * @typedef {object} Exit
 * @property {number} pid
 * @property {number | null} code
 * @property {string | null} signal
 * @property {number} uptimeMilliseconds
 */

const UP_AGAIN_WITHIN_MILLISECONDS = 120_000;
const SHIFTED_CLOCK = fileURLToPath(new URL('./shifted-clock.mjs', import.meta.url));

/** A service process that is restarted whenever it exits, as an orchestrator does. */
export class SupervisedService {
  /** @type {ServiceOptions} */
  #options;
  /** @type {ServiceProcess | undefined} */
  #process;
  #isStopping = false;
  /** @type {Promise<void> | undefined} */
  #up;
  /**
   * The exits of all processes: { pid, code, signal, uptimeMilliseconds }.
   * @type {Exit[]}
   */
  exits = [];

  /** @param {ServiceOptions} options */
  constructor(options) {
    this.#options = options;
  }

  get name() {
    return this.#options.name;
  }

  get app() {
    return this.#options.app;
  }

  /** The pid of the current process; undefined between an exit and the restart. */
  get pid() {
    return this.#process?.pid;
  }

  /**
   * The port of the current process for /metrics, if the service has a separate one.
   * @returns {number | undefined}
   */
  get healthPort() {
    const port = this.#process?.ready.healthPort;
    return port === undefined ? undefined : Number(port);
  }

  /**
   * Sets how many milliseconds the clock of processes that start from now on is ahead.
   * @param {number} milliseconds
   */
  setClockShift(milliseconds) {
    this.#options = {
      ...this.#options,
      environment: {
        ...this.#options.environment,
        NODE_OPTIONS: milliseconds === 0 ? '' : `--import=${SHIFTED_CLOCK}`,
        CHAOS_CLOCK_SHIFT_MILLISECONDS: String(milliseconds),
      },
    };
  }

  open() {
    this.#isStopping = false;
    this.#up = this.#start();
    return this.#up;
  }

  /**
   * Resolves when a process is ready; rejects after two minutes.
   * @returns {Promise<ServiceProcess>} the current process
   */
  async up() {
    const end = Date.now() + UP_AGAIN_WITHIN_MILLISECONDS;
    while (this.#process === undefined) {
      if (Date.now() > end) throw new Error(`${this.name} was not restarted in time`);
      await pause(50);
    }
    return this.#process;
  }

  /**
   * Sends a signal to the current process; resolves to its pid.
   * @param {NodeJS.Signals} name
   */
  async signal(name) {
    const { pid } = await this.up();
    process.kill(pid, name);
    return pid;
  }

  /** Sends SIGTERM; resolves to the exit. Another process is started. */
  async terminate() {
    return (await this.up()).stop();
  }

  /**
   * Returns memory in bytes and open files of the current process; null when there is none.
   * @returns {import('./observer.mjs').Usage | null}
   */
  usage() {
    try {
      const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
      return {
        residentBytes: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024,
        files: readdirSync(`/proc/${this.pid}/fd`).length,
      };
    } catch {
      return null;
    }
  }

  /** Sends SIGTERM; no other process is started until `open`. */
  async stop() {
    this.#isStopping = true;
    // Wait for a start in progress, so that its process is stopped, too.
    await this.#up?.catch(() => undefined);
    await this.#process?.stop();
  }

  async #start() {
    const started = Date.now();
    const service = await startServiceProcess(this.#options);
    this.#process = service;
    void service.exited.then(({ code, signal }) => {
      this.exits.push({ pid: service.pid, code, signal, uptimeMilliseconds: Date.now() - started });
      this.#process = undefined;
      this.#up = this.#startAgain();
    });
  }

  async #startAgain() {
    while (!this.#isStopping) {
      try {
        await this.#start();
        return;
      } catch {
        // A server that it needs is down; the log of the service has the reason.
        await pause(500);
      }
    }
  }
}

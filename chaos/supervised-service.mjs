import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import scaledSystem from '@millrace/scaled-system';

const UP_AGAIN_WITHIN_MILLISECONDS = 120_000;
const SHIFTED_CLOCK = fileURLToPath(new URL('./shifted-clock.mjs', import.meta.url));

/** A service as a process that is started again whenever it ends, as an orchestrator would. */
export class SupervisedService {
  #options;
  #process;
  #isStopping = false;
  #up;
  /** How each process ended: { pid, code, signal, uptimeMilliseconds }. */
  exits = [];

  /** `options` are those of `startServiceProcess`. */
  constructor(options) {
    this.#options = options;
  }

  get name() {
    return this.#options.name;
  }

  get app() {
    return this.#options.app;
  }

  /** Of the process of now; undefined between two of them. */
  get pid() {
    return this.#process?.pid;
  }

  /** Where the process of now answers /metrics, for a service that has a port for that alone. */
  get healthPort() {
    return this.#process?.ready.healthPort;
  }

  /** The clock of the processes that are started from now on is ahead by so many milliseconds. */
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

  /** Resolves when a process is ready; rejects when none becomes so. */
  async up() {
    const end = Date.now() + UP_AGAIN_WITHIN_MILLISECONDS;
    while (this.#process === undefined) {
      if (Date.now() > end) throw new Error(`${this.name} did not come up again`);
      await pause(50);
    }
  }

  /** Sends a signal to the process of now; resolves to its pid. */
  async signal(name) {
    await this.up();
    const { pid } = this.#process;
    process.kill(pid, name);
    return pid;
  }

  /** SIGTERM; resolves to how it ended. Another process takes its place. */
  async terminate() {
    await this.up();
    return this.#process.stop();
  }

  /** Memory in bytes and open files of the process of now; null when there is none. */
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

  /** SIGTERM; no other process takes its place until it is opened again. */
  async stop() {
    this.#isStopping = true;
    // One that is being started is ended by its own supervision.
    await this.#up?.catch(() => undefined);
    await this.#process?.stop();
  }

  async #start() {
    const started = Date.now();
    const service = await scaledSystem.startServiceProcess(this.#options);
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
        // It needs a server that is away just now: its log says so.
        await pause(500);
      }
    }
  }
}

import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@millrace/service';
import { backoff } from '@millrace/service';
import { integerOf, objectOf, textOf } from '../frames/members';
import { ProcessEndedError } from '../process/process-ended-error';
import { PythonProcess } from '../process/python-process';
import type { PoolMetrics } from './pool-metrics';
import type { PoolSettings } from './pool-settings';
import { ProcessListener } from './process-listener';
import { Zygote } from './zygote';

const backoffMilliseconds = { initialMilliseconds: 1_000, maximumMilliseconds: 30_000 };
/** A zygote that was ready for this long is started again at once. */
const healthyMilliseconds = 60_000;

export interface StarterOptions {
  readonly settings: PoolSettings;
  readonly logger: Logger;
  readonly metrics: PoolMetrics;
}

/** Keeps a zygote running and starts processes with it. */
export class ProcessStarter {
  readonly #options: StarterOptions;
  readonly #folder: string;
  readonly #listener: ProcessListener;
  #zygote: Zygote | null = null;
  #failures = 0;
  #restart: NodeJS.Timeout | null = null;
  #isClosed = false;
  #isReady = false;
  #lastFailure: string | null = null;
  #onReady: () => void = () => undefined;

  private constructor(options: StarterOptions, folder: string, listener: ProcessListener) {
    this.#options = options;
    this.#folder = folder;
    this.#listener = listener;
  }

  /** Starts the zygote. `ready` is called each time a zygote is ready. */
  static async open(options: StarterOptions, ready: () => void): Promise<ProcessStarter> {
    // Of this user alone: the socket in it accepts what has the token.
    const folder = await mkdtemp(join(tmpdir(), 'millrace-python-'));
    const { maximumFrameBytes } = options.settings.limits;
    const listener = await ProcessListener.open(join(folder, 'socket'), maximumFrameBytes);
    const starter = new ProcessStarter(options, folder, listener);
    starter.#onReady = ready;
    starter.#startZygote();
    return starter;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get zygotePid(): number | undefined {
    return this.#zygote?.pid;
  }

  /** Why the last zygote ended; null when one is ready. */
  get failure(): string | null {
    return this.#isReady ? null : this.#lastFailure;
  }

  /** Forks a process and resolves when it has connected. Rejects with a ProcessEndedError. */
  async start(): Promise<PythonProcess> {
    const zygote = this.#zygote;
    if (zygote === null || !this.#isReady) throw new ProcessEndedError('the zygote is not ready');
    const { limits, seal } = this.#options.settings;
    const token = randomUUID();
    const scratch = join(this.#folder, token);
    await mkdir(scratch, { mode: 0o700 });
    return new Promise((resolve, reject) => {
      let number = 0;
      let process: PythonProcess | null = null;
      const fail = (reason: string): void => {
        clearTimeout(timer);
        forget();
        reject(new ProcessEndedError(reason));
      };
      const timer = setTimeout(() => {
        zygote.kill(number);
        fail(`it did not connect within ${limits.processStartMilliseconds} ms`);
      }, limits.processStartMilliseconds);
      const forget = this.#listener.expect(token, ({ socket, decoder, hello }) => {
        clearTimeout(timer);
        process = new PythonProcess(socket, decoder, greetingOf(hello), {
          maximumFrameBytes: limits.maximumFrameBytes,
          kill: () => zygote.kill(number),
        });
        resolve(process);
      });
      const { maximumFrameBytes } = limits;
      const socket = join(this.#folder, 'socket');
      number = zygote.fork({ socket, token, scratch, maximumFrameBytes, seal }, (reason) => {
        void rm(scratch, { recursive: true, force: true }).catch((error: unknown) =>
          this.#options.logger.warn({ err: error }, 'Removing the folder of a Python process failed'),
        );
        if (process === null) fail(reason);
        else process.kill(reason);
      });
    });
  }

  /** Ends the zygote and its processes, and removes their folders. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isReady = false;
    if (this.#restart !== null) clearTimeout(this.#restart);
    this.#listener.close();
    await this.#zygote?.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #startZygote(): void {
    const { settings, logger, metrics } = this.#options;
    const started = performance.now();
    const zygote = new Zygote({ ...settings, folder: this.#folder });
    this.#zygote = zygote;
    metrics.zygoteStarts.add(1);
    const timer = setTimeout(() => {
      logger.warn({}, 'The Python zygote was not ready in time and is ended');
      void zygote.stop();
    }, settings.limits.zygoteStartMilliseconds);
    zygote.ready.then(
      (lfx) => {
        clearTimeout(timer);
        this.#isReady = true;
        this.#lastFailure = null;
        logger.info({ lfx, milliseconds: Math.round(performance.now() - started) }, 'Python is ready');
        this.#onReady();
      },
      () => clearTimeout(timer),
    );
    void zygote.ended.then((reason) => this.#ended(reason, performance.now() - started));
  }

  #ended(reason: string, milliseconds: number): void {
    this.#isReady = false;
    this.#lastFailure = reason;
    if (this.#isClosed) return;
    this.#failures = milliseconds > healthyMilliseconds ? 0 : this.#failures + 1;
    const delay = this.#failures === 0 ? 0 : backoff({ ...backoffMilliseconds, attempt: this.#failures - 1 });
    this.#options.logger.warn({ reason, delay }, 'The Python zygote ended and is started again');
    this.#restart = setTimeout(() => this.#startZygote(), delay);
    this.#restart.unref();
  }
}

function greetingOf(hello: Parameters<typeof textOf>[0]): PythonProcess['greeting'] {
  return {
    pid: integerOf(hello, 'pid') ?? 0,
    lfx: textOf(hello, 'lfx'),
    python: textOf(hello, 'python'),
    sealLevel: textOf(objectOf(hello, 'sealed'), 'level') || 'open',
  };
}

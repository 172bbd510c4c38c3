import { randomUUID } from 'node:crypto';
import type { Logger, Metrics } from '@millrace/service';
import { backoff } from '@millrace/service';
import type { PythonObject } from '@millrace/python-text';
import { integerOf, objectOf, textOf } from '../frames/members';
import { ProcessEndedError } from '../process/process-ended-error';
import { PythonProcess } from '../process/python-process';
import type { ProcessGreeting } from '../process/python-process';
import { sealStateOf } from '../process/seal-state';
import { EgressProxy } from '../seal/egress-proxy';
import { PoolFolder, removeTree } from './pool-folder';
import type { PoolMetrics } from './pool-metrics';
import type { EgressOptions, PoolSettings } from './pool-settings';
import { ProcessListener } from './process-listener';
import type { ConnectedProcess } from './process-listener';
import { SealRefusedError, isEnough } from './seal-refusal';
import { Zygote } from './zygote';
import type { ForkOptions } from './zygote';

const backoffMilliseconds = { initialMilliseconds: 1_000, maximumMilliseconds: 30_000 };
/** A zygote that was ready for this long is started again at once. */
const healthyMilliseconds = 60_000;
/** Zygotes that can end one after the other before leases no longer wait for the next one. */
const likelyFailures = 3;

export interface StarterOptions {
  readonly settings: PoolSettings;
  readonly egress: EgressOptions;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly poolMetrics: PoolMetrics;
}

/** What the processes of a pool share: removed in this order. */
interface Shared {
  readonly listener: ProcessListener;
  /** Null where processes are not sealed: they reach the network by themselves. */
  readonly proxy: EgressProxy | null;
  readonly folder: PoolFolder;
}

/** Keeps a zygote running and starts processes with it. */
export class ProcessStarter {
  readonly #options: StarterOptions;
  readonly #shared: Shared;
  readonly #onReady: () => void;
  #zygote: Zygote | null = null;
  #failures = 0;
  #restart: NodeJS.Timeout | null = null;
  #closing: Promise<void> | null = null;
  #isReady = false;
  #lastFailure: string | null = null;

  private constructor(options: StarterOptions, shared: Shared, ready: () => void) {
    this.#options = options;
    this.#shared = shared;
    this.#onReady = ready;
  }

  /** Starts the zygote. `ready` is called each time a zygote is ready. */
  static async open(options: StarterOptions, ready: () => void): Promise<ProcessStarter> {
    const folder = await PoolFolder.make(options.settings.folder);
    try {
      const { limits } = options.settings;
      const listener = await ProcessListener.open(folder.socket('processes'), limits.maximumFrameBytes);
      const proxy = await openProxy(options, folder);
      const starter = new ProcessStarter(options, { folder, listener, proxy }, ready);
      starter.#startZygote();
      void starter.#removeLeftFolders();
      return starter;
    } catch (error) {
      await folder.remove();
      throw error;
    }
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Whether a zygote is starting that is likely to be ready soon: few have ended before. */
  get isStarting(): boolean {
    return !this.#isReady && this.#closing === null && this.#failures <= likelyFailures;
  }

  get zygotePid(): number | undefined {
    return this.#zygote?.pid;
  }

  /** Why the last zygote ended; null when one is ready. */
  get failure(): string | null {
    return this.#isReady ? null : this.#lastFailure;
  }

  /**
   * Forks a process and resolves when it has connected. Rejects with a SealRefusedError when it is not sealed as
   * demanded, and with a ProcessEndedError.
   */
  async start(): Promise<PythonProcess> {
    const zygote = this.#zygote;
    if (zygote === null || !this.#isReady) throw new ProcessEndedError('the zygote is not ready');
    const token = randomUUID();
    const scratch = await this.#shared.folder.makeScratch(token);
    return new Promise((resolve, reject) => {
      let number = 0;
      let process: PythonProcess | null = null;
      const fail = (error: Error): void => {
        clearTimeout(timer);
        forget();
        zygote.kill(number);
        reject(error);
      };
      const { processStartMilliseconds } = this.#options.settings.limits;
      const timer = setTimeout(() => {
        fail(new ProcessEndedError(`it did not connect within ${processStartMilliseconds} ms`));
      }, processStartMilliseconds);
      const forget = this.#listener.expect(token, (connected) => {
        clearTimeout(timer);
        try {
          process = this.#greeted(connected, () => zygote.kill(number));
          resolve(process);
        } catch (error) {
          connected.socket.destroy();
          fail(error as Error);
        }
      });
      number = zygote.fork(this.#forkOptions(token, scratch), (reason) => {
        this.#removeScratch(scratch);
        if (process === null) fail(new ProcessEndedError(reason));
        else process.kill(reason);
      });
    });
  }

  /** Ends the zygote and its processes, and removes their folders. Idempotent. */
  close(): Promise<void> {
    return (this.#closing ??= this.#end());
  }

  async #end(): Promise<void> {
    this.#isReady = false;
    if (this.#restart !== null) clearTimeout(this.#restart);
    const { listener, proxy, folder } = this.#shared;
    listener.close();
    await this.#zygote?.stop();
    await proxy?.close();
    await folder.remove();
  }

  get #listener(): ProcessListener {
    return this.#shared.listener;
  }

  #greeted({ socket, decoder, hello }: ConnectedProcess, kill: () => void): PythonProcess {
    const { seal, limits } = this.#options.settings;
    const failure = textOf(hello, 'failure');
    if (failure !== '') throw new ProcessEndedError(`it was not sealed: ${failure}`);
    const greeting = greetingOf(hello);
    if (!isEnough(seal.level, greeting.seal)) throw new SealRefusedError(seal.level, greeting);
    return new PythonProcess(socket, decoder, greeting, {
      maximumFrameBytes: limits.maximumFrameBytes,
      kill,
    });
  }

  #forkOptions(token: string, scratch: string): ForkOptions {
    const { limits, seal } = this.#options.settings;
    const { folder } = this.#shared;
    return {
      token,
      scratch,
      socket: folder.socket('processes'),
      maximumFrameBytes: limits.maximumFrameBytes,
      seal:
        seal.level === 'off'
          ? null
          : {
              level: seal.level,
              memory_bytes: seal.memoryBytes,
              cpu_seconds: seal.cpuSeconds,
              files_bytes: seal.filesBytes,
              processes: seal.processes,
              open_files: seal.openFiles,
              egress_socket: folder.socket('egress'),
            },
    };
  }

  #removeScratch(scratch: string): void {
    void removeTree(scratch).catch((error: unknown) =>
      this.#options.logger.warn({ err: error }, 'Removing the folder of a Python process failed'),
    );
  }

  /** The folders of pools on this machine that were killed: their processes have ended with them. */
  async #removeLeftFolders(): Promise<void> {
    const { settings, logger, poolMetrics } = this.#options;
    try {
      const { removed, failed } = await PoolFolder.removeLeft(settings.folder);
      poolMetrics.leftFolders.add(removed.length, { outcome: 'removed' });
      poolMetrics.leftFolders.add(failed.length, { outcome: 'failed' });
      if (removed.length > 0)
        logger.info({ folders: removed.length }, 'Removed the folders of Python pools that were killed');
      for (const { path, error } of failed)
        logger.warn({ err: error, path }, 'Removing the folder of a Python pool that was killed failed');
    } catch (error) {
      logger.warn({ err: error }, 'Looking for the folders of killed Python pools failed');
    }
  }

  #startZygote(): void {
    const { settings, logger, poolMetrics } = this.#options;
    const started = performance.now();
    const zygote = new Zygote({ ...settings, folder: this.#shared.folder.path });
    this.#zygote = zygote;
    poolMetrics.zygoteStarts.add(1);
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
    if (this.#closing !== null) return;
    this.#failures = milliseconds > healthyMilliseconds ? 0 : this.#failures + 1;
    const delay = this.#failures === 0 ? 0 : backoff({ ...backoffMilliseconds, attempt: this.#failures - 1 });
    this.#options.logger.warn({ reason, delay }, 'The Python zygote ended and is started again');
    this.#restart = setTimeout(() => this.#startZygote(), delay);
    this.#restart.unref();
  }
}

function openProxy(
  { settings, egress, logger, metrics }: StarterOptions,
  folder: PoolFolder,
): Promise<EgressProxy> | null {
  if (settings.seal.level === 'off') return null;
  return EgressProxy.start({ ...egress, path: folder.socket('egress'), logger, metrics });
}

function greetingOf(hello: PythonObject): ProcessGreeting {
  return {
    pid: integerOf(hello, 'pid') ?? 0,
    lfx: textOf(hello, 'lfx'),
    python: textOf(hello, 'python'),
    seal: sealStateOf(objectOf(hello, 'sealed')),
  };
}

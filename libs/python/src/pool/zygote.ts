import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';
import type { PythonObject } from '@millrace/python-text';
import { encodeFrame } from '../frames/encode-frame';
import { FrameDecoder } from '../frames/frame-decoder';
import { integerOf, memberOf, textOf } from '../frames/members';
import { exitReason } from './exit-reason';
import type { SealSettings } from './pool-settings';

const maximumControlBytes = 1024 * 1024;
const maximumErrorCharacters = 4_000;
/** How long the zygote has to end a process before the process is killed without it. */
const killMilliseconds = 250;

/** Starts the zygote without the current folder and the executor's environment. */
const bootstrap =
  'import sys; sys.path[:] = [sys.argv[1], *filter(None, sys.path)]; ' +
  'from millrace_worker.zygote import main; main()';

export interface ZygoteOptions {
  readonly python: string;
  readonly workerFolder: string;
  /** The folder that the zygote starts in, and where lfx keeps its files. */
  readonly folder: string;
  /** The limits of its processes, for the reason of their end. */
  readonly seal: SealSettings;
}

/** What the zygote passes to a forked process. */
export interface ForkOptions {
  readonly socket: string;
  readonly token: string;
  readonly scratch: string;
  readonly maximumFrameBytes: number;
  /** The options of `confine` in the worker; null leaves the process open. */
  readonly seal: Readonly<Record<string, unknown>> | null;
}

interface ForkedProcess {
  pid: number | null;
  readonly exited: (reason: string) => void;
}

/** The process that has imported lfx and forks others. After it has ended, a new one is needed. */
export class Zygote {
  /** Resolves to lfx's version; rejects when the zygote ends before. */
  readonly ready: Promise<string>;
  /** Resolves to the reason when the zygote has ended. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #seal: SealSettings;
  readonly #control: Duplex;
  readonly #forked = new Map<number, ForkedProcess>();
  #last = 0;
  #errors = '';
  #hasEnded = false;

  constructor(options: ZygoteOptions) {
    this.#seal = options.seal;
    this.#child = spawn(options.python, ['-s', '-E', '-B', '-c', bootstrap, options.workerFolder], {
      cwd: options.folder,
      env: zygoteEnvironment(options.folder),
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    this.#control = this.#child.stdio[3] as Duplex;
    this.#control.on('error', () => undefined);
    (this.#child.stderr as Readable).on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString('utf8')).slice(-maximumErrorCharacters);
    });
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(error.message));
      this.#child.once('close', (code, signal) => resolve(this.#endReason(code, signal)));
    });
    this.ready = new Promise((resolve, reject) => {
      this.#read((frame) => resolve(textOf(frame, 'lfx')));
      void this.ended.then((reason) => reject(new Error(`The Python zygote ended: ${reason}`)));
    });
    this.ready.catch(() => undefined);
    void this.ended.then((reason) => this.#endAll(reason));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Forks a process. Returns its number for {@link kill}; `exited` is called once, when it has ended. */
  fork(options: ForkOptions, exited: (reason: string) => void): number {
    const number = (this.#last += 1);
    if (this.#hasEnded) {
      exited('the zygote has ended');
      return number;
    }
    this.#forked.set(number, { pid: null, exited });
    this.#send({ fork: number, ...options });
    return number;
  }

  /** Kills a forked process: by the zygote, which knows that the process id is still its own; else directly. */
  kill(number: number): void {
    if (!this.#forked.has(number)) return;
    this.#send({ kill: number });
    setTimeout(() => killById(this.#forked.get(number)?.pid ?? null), killMilliseconds).unref();
  }

  /** Ends the zygote and its processes. */
  async stop(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  #send(frame: object): void {
    if (!this.#hasEnded) this.#control.write(encodeFrame(frame, maximumControlBytes));
  }

  #read(ready: (frame: PythonObject) => void): void {
    const decoder = new FrameDecoder(maximumControlBytes);
    this.#control.on('data', (chunk: Buffer) => {
      try {
        for (const frame of decoder.push(chunk)) this.#receive(frame, ready);
      } catch {
        this.#child.kill('SIGKILL');
      }
    });
  }

  #receive(frame: PythonObject, ready: (frame: PythonObject) => void): void {
    if (memberOf(frame, 'ready') === true) return ready(frame);
    const forked = integerOf(frame, 'forked');
    const known = forked === null ? undefined : this.#forked.get(forked);
    if (known !== undefined) known.pid = integerOf(frame, 'pid');
    const exited = integerOf(frame, 'exited');
    if (exited === null) return;
    const process = this.#forked.get(exited);
    this.#forked.delete(exited);
    process?.exited(exitReason(frame, this.#seal));
  }

  #endAll(reason: string): void {
    this.#hasEnded = true;
    const all = [...this.#forked.values()];
    this.#forked.clear();
    for (const { pid, exited } of all) {
      // The kernel kills a process whose zygote has ended, except outside of Linux.
      if (process.platform !== 'linux') killById(pid);
      exited(`the zygote ended: ${reason}`);
    }
  }

  #endReason(code: number | null, signal: string | null): string {
    const errors = this.#errors.trim();
    return `${signal ?? `exit status ${String(code)}`}${errors === '' ? '' : `: ${errors}`}`;
  }
}

function killById(pid: number | null): void {
  if (pid === null) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function zygoteEnvironment(folder: string): NodeJS.ProcessEnv {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    LANG: 'C.UTF-8',
    HOME: folder,
    TMPDIR: folder,
    LANGFLOW_CONFIG_DIR: folder,
    LANGFLOW_USE_NOOP_DATABASE: 'true',
    LANGCHAIN_TRACING_V2: 'false',
    DO_NOT_TRACK: 'true',
  };
}

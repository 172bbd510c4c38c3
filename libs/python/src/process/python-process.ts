import type { Socket } from 'node:net';
import type { PythonSource } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { encodeFrame } from '../frames/encode-frame';
import type { FrameDecoder } from '../frames/frame-decoder';
import { integerOf, memberOf, objectOf } from '../frames/members';
import { ProcessEndedError } from './process-ended-error';
import { Requests } from './requests';
import type { RequestHandlers } from './requests';
import type { SealState } from './seal-state';

/** What a process reported about itself when it connected. */
export interface ProcessGreeting {
  readonly pid: number;
  readonly lfx: string;
  readonly python: string;
  readonly seal: SealState;
}

/** What could outlast a run in its process. */
export interface ResetReport {
  readonly tasks: number;
  readonly threads: number;
  /** Memory that the process does not share with the zygote. */
  readonly bytes: number;
  readonly cpuMilliseconds: number;
}

export interface ProcessOptions {
  readonly maximumFrameBytes: number;
  /** Ends the operating system's process. Idempotent. */
  readonly kill: () => void;
}

/** Why a process ended: by the pool, with its run, or by itself. */
export type ProcessEnd = 'recycled' | 'cancelled' | 'ended';

/** Bytes that wait to be sent to a process before it counts as one that does not read. */
const maximumWaitingBytes = 256 * 1024 * 1024;
/** A process that has ended closes its connection before the zygote reports its exit status. */
const exitReportMilliseconds = 1_000;

/** One connected Python process. It belongs to at most one run at a time; after it has ended, a new one is needed. */
export class PythonProcess {
  readonly greeting: ProcessGreeting;
  readonly ended: Promise<void>;
  readonly #socket: Socket;
  readonly #options: ProcessOptions;
  readonly #requests = new Requests((frame) => this.#send(frame));
  /** The texts that the process has. */
  readonly #texts = new Set<string>();
  #reason: unknown = null;
  #exitTimer: NodeJS.Timeout | null = null;
  #end: ProcessEnd = 'ended';
  #resolveEnded: () => void = () => undefined;

  constructor(socket: Socket, decoder: FrameDecoder, greeting: ProcessGreeting, options: ProcessOptions) {
    this.#socket = socket;
    this.#options = options;
    this.greeting = greeting;
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    socket.on('data', (chunk) => this.#receive(decoder, chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => this.#disconnected());
    socket.resume();
  }

  get isUsable(): boolean {
    return this.#reason === null && !this.#socket.destroyed;
  }

  /** Valid when the process has ended. */
  get endReason(): ProcessEnd {
    return this.#end;
  }

  /** The number of requests that wait for an answer. */
  get pending(): number {
    return this.#requests.size;
  }

  /** Computes a vertex; resolves to the `done` frame. Rejects with a PythonFailure, or when the process ends. */
  run(source: PythonSource, frame: object, handlers: RequestHandlers): Promise<PythonObject> {
    return this.#request((run) => ({ run, ...this.#sourceOf(source), ...frame }), handlers);
  }

  /** Compiles a text without running a component. Rejects with a PythonFailure. */
  async check(source: PythonSource, type: string): Promise<void> {
    await this.#request((check) => ({ check, ...this.#sourceOf(source), type }), {});
  }

  /** Uses an object of the process; resolves to the answer of the method. */
  async use(
    reference: number,
    method: string,
    args: PythonObject,
    handlers: RequestHandlers,
  ): Promise<PythonValue> {
    const answer = await this.#request((use) => ({ use, ref: reference, method, args }), handlers);
    return memberOf(answer, 'value') ?? null;
  }

  /** Changes the context that the vertices of a part of the run share, before the requests that follow. */
  restore(part: string, change: object): void {
    this.#send({ restore: { part, ...change } });
  }

  /**
   * Makes the process forget its run. The private memory is measured where the resident memory is above `enoughBytes`;
   * otherwise the report has the resident memory, which is cheap to read and is never less.
   */
  async reset(enoughBytes = 0): Promise<ResetReport> {
    const answer = await this.#request((reset) => ({ reset, enoughBytes }), {});
    const value = objectOf(answer, 'value');
    return {
      tasks: integerOf(value, 'tasks') ?? 0,
      threads: integerOf(value, 'threads') ?? 0,
      bytes: integerOf(value, 'bytes') ?? 0,
      cpuMilliseconds: integerOf(value, 'cpuMilliseconds') ?? 0,
    };
  }

  /** Ends the process at once and rejects its requests with the reason. Idempotent. */
  kill(reason: unknown, end: ProcessEnd = 'ended'): void {
    if (this.#reason !== null) return;
    this.#end = end;
    const error = typeof reason === 'string' ? new ProcessEndedError(reason) : reason;
    this.#reason = error;
    if (this.#exitTimer !== null) clearTimeout(this.#exitTimer);
    this.#options.kill();
    this.#socket.destroy();
    this.#requests.end(error);
    this.#resolveEnded();
  }

  /** Leaves the zygote the time to report why the process ended. */
  #disconnected(): void {
    if (this.#reason !== null) return;
    this.#exitTimer = setTimeout(() => this.kill('it closed its connection'), exitReportMilliseconds);
  }

  #request(frameOf: (number: number) => object, handlers: RequestHandlers): Promise<PythonObject> {
    if (this.#reason !== null) return Promise.reject(this.#reason as Error);
    return this.#requests.start(frameOf, handlers);
  }

  /** Sends a text only the first time. */
  #sourceOf(source: PythonSource): object {
    if ('module' in source) return { module: source.module };
    if (this.#texts.has(source.sha256)) return { codeHash: source.sha256 };
    this.#texts.add(source.sha256);
    return { codeHash: source.sha256, code: source.text };
  }

  #send(frame: object): void {
    if (this.#reason !== null) return;
    this.#socket.write(encodeFrame(frame, this.#options.maximumFrameBytes));
    if (this.#socket.writableLength > maximumWaitingBytes) this.kill('it does not read its frames');
  }

  #receive(decoder: FrameDecoder, chunk: Buffer): void {
    try {
      for (const frame of decoder.push(chunk)) {
        if (this.#reason !== null) return;
        this.#requests.receive(frame, decoder.frameBytes);
      }
    } catch (error) {
      this.kill(error instanceof Error ? error.message : String(error));
    }
  }
}

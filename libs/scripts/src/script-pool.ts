import { availableParallelism } from 'node:os';
import { ComponentError, MillraceError, bytesLeftAfter, jsonValue } from '@millrace/flow';
import type { PythonValue, ScriptCall, Scripts } from '@millrace/flow';
import { maximumJsonCharacters } from './script-limits';
import type { ScriptLimits } from './script-limits';
import { ScriptThread } from './script-thread';
import type { ScriptOutcome } from './script-thread';

const mostThreads = 4;
const mostWaiting = 1_000;
const mebibyte = 1024 * 1024;

interface Waiting {
  readonly take: (thread: ScriptThread) => void;
  readonly leave: (reason: unknown) => void;
}

/**
 * Runs scripts in a few threads of their own, which are started when the first scripts come. Each call has a fresh
 * runtime; a thread that hangs, breaks or has used up its memory is replaced.
 */
export class ScriptPool implements Scripts {
  readonly #limits: ScriptLimits;
  readonly #mostThreads: number;
  readonly #threads = new Set<ScriptThread>();
  readonly #idle: ScriptThread[] = [];
  readonly #waiting = new Set<Waiting>();
  #isClosed = false;

  constructor({ threads, ...limits }: ScriptLimits & { readonly threads?: number }) {
    this.#limits = limits;
    this.#mostThreads = threads ?? Math.min(mostThreads, availableParallelism());
  }

  async call({ source, input, signal }: ScriptCall): Promise<PythonValue> {
    signal.throwIfAborted();
    const order = { source: checked(source, 'The script'), input: inputText(input) };
    const thread = await this.#take(signal);
    if (signal.aborted) {
      this.#giveBack(thread);
      throw signal.reason;
    }
    const outcome = thread.run(order, signal);
    void outcome.then(() => this.#giveBack(thread));
    return this.#result(await beforeAbort(outcome, signal));
  }

  /** Ends what is running. Twice is fine. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { leave } of this.#waiting) leave(closed());
    this.#waiting.clear();
    await Promise.all([...this.#threads].map((thread) => thread.stop()));
    this.#threads.clear();
  }

  #take(signal: AbortSignal): Promise<ScriptThread> {
    if (this.#isClosed) return Promise.reject(closed());
    const thread = this.#free();
    if (thread !== undefined) return Promise.resolve(thread);
    if (this.#waiting.size >= mostWaiting) {
      return Promise.reject(temporary('Too many scripts are waiting to be run.'));
    }
    return new Promise((resolve, reject) => {
      const leave = (reason: unknown): void => {
        signal.removeEventListener('abort', abort);
        this.#waiting.delete(waiting);
        reject(reason as Error);
      };
      const abort = (): void => leave(signal.reason);
      const waiting: Waiting = {
        take: (free) => {
          signal.removeEventListener('abort', abort);
          resolve(free);
        },
        leave,
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.add(waiting);
    });
  }

  #free(): ScriptThread | undefined {
    const idle = this.#idle.pop();
    if (idle?.isUsable === true) return idle;
    if (idle !== undefined) this.#threads.delete(idle);
    for (const thread of this.#threads) if (!thread.isUsable) this.#threads.delete(thread);
    if (this.#threads.size >= this.#mostThreads) return undefined;
    const thread = new ScriptThread(this.#limits);
    this.#threads.add(thread);
    return thread;
  }

  #giveBack(thread: ScriptThread): void {
    if (thread.isUsable) this.#idle.push(thread);
    else this.#threads.delete(thread);
    const [next] = this.#waiting;
    if (next === undefined || this.#isClosed) return;
    const free = this.#free();
    if (free === undefined) return;
    this.#waiting.delete(next);
    next.take(free);
  }

  #result(outcome: ScriptOutcome): PythonValue {
    if ('result' in outcome) return parsed(outcome.result);
    const { maximumMilliseconds, maximumMemoryBytes } = this.#limits;
    switch (outcome.failure.kind) {
      case 'error':
        throw new ComponentError(`The script failed: ${outcome.failure.text}`);
      case 'time':
        throw new ComponentError(`The script took longer than ${maximumMilliseconds} ms.`);
      case 'memory':
        throw new ComponentError(`The script used more than ${inMebibytes(maximumMemoryBytes)} of memory.`);
      case 'size':
        throw new ComponentError(`The result of the script is larger than ${jsonBound}.`);
      default:
        throw temporary('The script could not be run to its end.');
    }
  }
}

const inMebibytes = (bytes: number): string => `${Math.round(bytes / mebibyte)} MiB`;
const jsonBound = `${inMebibytes(maximumJsonCharacters)} of JSON`;

function inputText(input: PythonValue): string {
  if (bytesLeftAfter(input, maximumJsonCharacters) < 0) throw tooLarge('The input of the script');
  return checked(JSON.stringify(jsonValue(input)), 'The input of the script');
}

function checked(text: string, what: string): string {
  if (text.length > maximumJsonCharacters) throw tooLarge(what);
  return text;
}

function tooLarge(what: string): ComponentError {
  return new ComponentError(`${what} is larger than ${jsonBound}.`);
}

/** A script that says how it is written as JSON may write anything. */
function parsed(json: string): PythonValue {
  try {
    return JSON.parse(json) as PythonValue;
  } catch (error) {
    throw new ComponentError('The script failed: its result is not JSON.', error);
  }
}

function beforeAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    void work.then((result) => {
      signal.removeEventListener('abort', abort);
      resolve(result);
    });
  });
}

function closed(): MillraceError {
  return temporary('No scripts are run any more: the process is about to end.');
}

/** No fault of the script's: another attempt may do better. */
function temporary(message: string): MillraceError {
  return new MillraceError('component_failed', message, { permanent: false });
}

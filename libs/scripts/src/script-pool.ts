import { availableParallelism } from 'node:os';
import { ComponentError, MillraceError, isJsonWithin, jsonValue } from '@millrace/flow';
import type { ScriptCall, Scripts } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { maximumJsonCharacters } from './script-limits';
import type { ScriptLimits } from './script-limits';
import { ScriptThread } from './script-thread';
import type { ScriptOutcome } from './script-thread';

const maximumThreads = 4;
const maximumWaitingCalls = 1_000;
const mebibyte = 1024 * 1024;

interface WaitingCall {
  readonly assign: (thread: ScriptThread) => void;
  readonly cancel: (reason: unknown) => void;
}

/**
 * Runs scripts in a pool of threads, which are started on demand. Each call has a fresh runtime; a thread that hangs,
 * crashes or exceeds its memory is replaced.
 */
export class ScriptPool implements Scripts {
  readonly #limits: ScriptLimits;
  readonly #maximumThreads: number;
  readonly #threads = new Set<ScriptThread>();
  readonly #idle: ScriptThread[] = [];
  readonly #waiting = new Set<WaitingCall>();
  #isClosed = false;

  constructor({ threads, ...limits }: ScriptLimits & { readonly threads?: number }) {
    this.#limits = limits;
    this.#maximumThreads = threads ?? Math.min(maximumThreads, availableParallelism());
  }

  async call({ source, input, signal }: ScriptCall): Promise<PythonValue> {
    signal.throwIfAborted();
    const task = { source: checked(source, 'The script'), input: inputText(input) };
    const thread = await this.#assign(signal);
    if (signal.aborted) {
      this.#releaseThread(thread);
      throw signal.reason;
    }
    const outcome = thread.run(task, signal);
    void outcome.then(() => this.#releaseThread(thread));
    return this.#result(await untilAbort(outcome, signal));
  }

  /** Stops running and waiting scripts. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { cancel } of this.#waiting) cancel(closed());
    this.#waiting.clear();
    await Promise.all([...this.#threads].map((thread) => thread.stop()));
    this.#threads.clear();
  }

  #assign(signal: AbortSignal): Promise<ScriptThread> {
    if (this.#isClosed) return Promise.reject(closed());
    const thread = this.#availableThread();
    if (thread !== undefined) return Promise.resolve(thread);
    if (this.#waiting.size >= maximumWaitingCalls) {
      return Promise.reject(temporary('Too many scripts are waiting to be run.'));
    }
    return new Promise((resolve, reject) => {
      const cancel = (reason: unknown): void => {
        signal.removeEventListener('abort', abort);
        this.#waiting.delete(waiting);
        reject(reason as Error);
      };
      const abort = (): void => cancel(signal.reason);
      const waiting: WaitingCall = {
        assign: (free) => {
          signal.removeEventListener('abort', abort);
          resolve(free);
        },
        cancel,
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.add(waiting);
    });
  }

  #availableThread(): ScriptThread | undefined {
    const idle = this.#idle.pop();
    if (idle?.isUsable === true) return idle;
    if (idle !== undefined) this.#threads.delete(idle);
    for (const thread of this.#threads) if (!thread.isUsable) this.#threads.delete(thread);
    if (this.#threads.size >= this.#maximumThreads) return undefined;
    const thread = new ScriptThread(this.#limits);
    this.#threads.add(thread);
    return thread;
  }

  #releaseThread(thread: ScriptThread): void {
    if (thread.isUsable) this.#idle.push(thread);
    else this.#threads.delete(thread);
    const [next] = this.#waiting;
    if (next === undefined || this.#isClosed) return;
    const free = this.#availableThread();
    if (free === undefined) return;
    this.#waiting.delete(next);
    next.assign(free);
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
        throw temporary('The script did not complete.');
    }
  }
}

const inMebibytes = (bytes: number): string => `${Math.round(bytes / mebibyte)} MiB`;
const jsonBound = `${inMebibytes(maximumJsonCharacters)} of JSON`;

function inputText(input: PythonValue): string {
  if (!isJsonWithin(input, maximumJsonCharacters)) throw tooLarge('The input of the script');
  return checked(JSON.stringify(jsonValue(input)), 'The input of the script');
}

function checked(text: string, what: string): string {
  if (text.length > maximumJsonCharacters) throw tooLarge(what);
  return text;
}

function tooLarge(what: string): ComponentError {
  return new ComponentError(`${what} is larger than ${jsonBound}.`);
}

/** Parses the result of a script. A script with its own toJSON can return invalid JSON. */
function parsed(json: string): PythonValue {
  try {
    return JSON.parse(json) as PythonValue;
  } catch (error) {
    throw new ComponentError('The script failed: its result is not JSON.', error);
  }
}

function untilAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
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
  return temporary('No further scripts are run: the process is shutting down.');
}

/** Returns an error that is not the script's fault: another attempt can succeed. */
function temporary(message: string): MillraceError {
  return new MillraceError('component_failed', message, { permanent: false });
}

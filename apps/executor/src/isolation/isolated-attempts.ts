import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { parsePythonJson } from '@millrace/flow';
import type { RunEvent } from '@millrace/flow';
import type { RunEnd } from '@millrace/contracts';
import type { Logger } from '@millrace/service';
import type { AttemptOutcome } from '../attempt';
import type { PlacedOrder } from '../place-attempt';
import { wholeRunFailure } from '../run-failure';
import { Slots } from '../slots';
import type { FromChild, IsolatedOrder, ToChild } from './isolation-messages';

/** How many processes at a time: each takes memory of its own. */
const MOST_PROCESSES = 4;
/** How long a process may take to end an attempt that is cancelled or late by itself. */
const GRACE_MILLISECONDS = 1_000;

export interface IsolatedAttemptsOptions {
  /** The program of this executor; with `--single-run` it runs one attempt for whoever has forked it. */
  readonly program: string;
  /** What the heap of such a process may take. */
  readonly memoryBytes: number;
  readonly logger: Logger;
}

/** Attempts in processes of their own: one that kills its process takes nobody along. */
export class IsolatedAttempts {
  readonly #options: IsolatedAttemptsOptions;
  readonly #places = new Slots(MOST_PROCESSES);

  constructor(options: IsolatedAttemptsOptions) {
    this.#options = options;
  }

  /**
   * Executes an attempt to its end; never rejects. One that ends its process is dead, one that does not end with its
   * deadline is ended.
   */
  async run(order: PlacedOrder): Promise<AttemptOutcome> {
    const left = order.deadline - Date.now();
    if (left <= 0 || order.signal.aborted) return withoutOutcome(order);
    const place = await this.#places.take('shared', order.signal, AbortSignal.timeout(Math.ceil(left)));
    if (!place) return withoutOutcome(order);
    try {
      return await this.#runInChild(order);
    } finally {
      place.release();
    }
  }

  async #runInChild(order: PlacedOrder): Promise<AttemptOutcome> {
    const child = this.#fork();
    let isGiven = false;
    const onGiven = (): void => {
      isGiven = true;
    };
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
    const kill = (): void => void child.kill('SIGKILL');
    const left = Math.max(0, order.deadline - Date.now());
    const timers = [setTimeout(kill, left + GRACE_MILLISECONDS)];
    const abort = (): void => {
      tell(child, { kind: 'abort', reason: order.signal.reason as never });
      timers.push(setTimeout(kill, GRACE_MILLISECONDS));
    };
    order.signal.addEventListener('abort', abort, { once: true });
    if (order.signal.aborted) abort();
    try {
      const told = await Promise.race([outcomeOf(child, order, onGiven), ended.then(() => null)]);
      if (told !== null) return told;
      this.#tellDeath(order, child, isGiven);
      return isGiven ? withoutOutcome(order) : withoutProcess(order);
    } finally {
      order.signal.removeEventListener('abort', abort);
      for (const timer of timers) clearTimeout(timer);
      kill();
      await ended;
    }
  }

  #fork(): ChildProcess {
    const { program, memoryBytes } = this.#options;
    const heap = Math.max(64, Math.floor(memoryBytes / 1_048_576));
    return fork(program, ['--single-run'], {
      execArgv: [...process.execArgv, `--max-old-space-size=${heap}`],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  }

  #tellDeath({ runId, attempt }: PlacedOrder, child: ChildProcess, isGiven: boolean): void {
    const fields = { runId, attempt, exitCode: child.exitCode, signal: child.signalCode };
    const what = isGiven
      ? 'a run ended the process that it had for itself'
      : 'a process for a single run did not begin';
    this.#options.logger.warn(fields, what);
  }
}

/** Gives the order when it is asked for, passes events on, and resolves with the outcome. */
function outcomeOf(child: ChildProcess, order: PlacedOrder, onGiven: () => void): Promise<AttemptOutcome> {
  return new Promise((resolve) => {
    child.on('message', (given) => {
      const message = given as FromChild;
      if (message.kind === 'ready') {
        onGiven();
        tell(child, { kind: 'run', order: sayable(order) });
      } else if (message.kind === 'event')
        void order.emit(parsePythonJson(message.text) as unknown as RunEvent);
      else resolve(message.outcome);
    });
  });
}

function sayable(order: PlacedOrder): IsolatedOrder {
  const { runId, attempt, userId, flowId, flowVersion, request } = order;
  const { durable, deadline, maximumAnswerBytes } = order;
  return {
    ...{ runId, attempt, userId, flowId, flowVersion, request },
    ...{ durable, deadline, maximumAnswerBytes },
  };
}

function tell(child: ChildProcess, message: ToChild): void {
  // It may be gone already, which its exit tells.
  child.send(message, () => undefined);
}

function withoutOutcome({ signal, deadline }: PlacedOrder): AttemptOutcome {
  if (signal.aborted) return outcome('cancelled', 'cancelled', 'The run was cancelled.');
  if (deadline <= Date.now()) {
    return outcome('timed_out', 'deadline_exceeded', 'The run did not end within its deadline.');
  }
  return outcome('dead', 'attempts_exhausted', 'The run ended its executor on every attempt.');
}

/** That it could not even begin is no fault of the run's. */
function withoutProcess(order: PlacedOrder): AttemptOutcome {
  if (order.signal.aborted || order.deadline <= Date.now()) return withoutOutcome(order);
  return { ...outcome('failed', 'internal', 'The run failed for an internal reason.'), byOutage: true };
}

function outcome(status: RunEnd, code: string, message: string): AttemptOutcome {
  const failure = wholeRunFailure(code, message);
  return { status, body: JSON.stringify(failure), failure, messages: [], byOutage: false };
}

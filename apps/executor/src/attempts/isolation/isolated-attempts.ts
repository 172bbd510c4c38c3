import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { RunEvent } from '@millrace/flow';
import type { RunEnd } from '@millrace/messages';
import type { LostAttempts } from '@millrace/dispatch';
import { activeTraceparent, machineTime } from '@millrace/service';
import type { Logger } from '@millrace/service';
import { parsePythonJson } from '@millrace/python-text';
import { abortReasonOf, Slots } from '../running-attempts';
import type { DispatchOrder } from '../attempt-order';
import type { AttemptOutcome } from '../attempt-outcome';
import { wholeRunFailure } from '../run-failure';
import type { FromChild, IsolatedOrder, ToChild } from './isolation-messages';

/** Maximum number of concurrent processes; each one has its own heap. */
const MAXIMUM_PROCESSES = 4;
/** How long a process can take to end an attempt that is cancelled or late, before it is killed. */
const GRACE_MILLISECONDS = 1_000;

export interface IsolatedAttemptsOptions {
  /** Path of the executor program; with `--single-run`, it executes one attempt for its parent process. */
  readonly program: string;
  /** Maximum heap size of such a process. */
  readonly memoryBytes: number;
  /** Records the steps that were running in a process that crashed; absent when the process is not traced. */
  readonly lost?: LostAttempts | undefined;
}

/** Executes attempts in separate processes, so that a crash affects no other run. */
export class IsolatedAttempts {
  readonly #options: IsolatedAttemptsOptions;
  readonly #slots = new Slots(MAXIMUM_PROCESSES);

  constructor(options: IsolatedAttemptsOptions) {
    this.#options = options;
  }

  /**
   * Executes an attempt to its end. An attempt that crashes its process is dead; an attempt that continues past its
   * deadline is killed. Never rejects.
   */
  async run(order: DispatchOrder, logger: Logger): Promise<AttemptOutcome> {
    const left = order.deadline - machineTime();
    if (left <= 0 || order.signal.aborted) return lostOutcome(order);
    const slot = await this.#slots.take(
      'shared',
      order.userId,
      order.signal,
      AbortSignal.timeout(Math.ceil(left)),
    );
    if (!slot) return lostOutcome(order);
    try {
      return await this.#runInChild(order, logger);
    } finally {
      slot.release();
    }
  }

  async #runInChild(order: DispatchOrder, logger: Logger): Promise<AttemptOutcome> {
    const child = this.#fork();
    let hasStarted = false;
    const onStarted = (): void => {
      hasStarted = true;
    };
    const exited = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
    const kill = (): void => void child.kill('SIGKILL');
    const left = Math.max(0, order.deadline - machineTime());
    const timers = [setTimeout(kill, left + GRACE_MILLISECONDS)];
    const abort = (): void => {
      const reason = abortReasonOf(order.signal);
      if (reason !== null) send(child, { kind: 'abort', reason });
      timers.push(setTimeout(kill, GRACE_MILLISECONDS));
    };
    order.signal.addEventListener('abort', abort, { once: true });
    if (order.signal.aborted) abort();
    try {
      const reported = await Promise.race([outcomeOf(child, order, onStarted), exited.then(() => null)]);
      if (reported !== null) return reported;
      logExit({ order, child, hasStarted, logger });
      await this.#options.lost?.recordCrash(order, activeTraceparent());
      return hasStarted ? lostOutcome(order) : failedStartOutcome(order);
    } finally {
      order.signal.removeEventListener('abort', abort);
      for (const timer of timers) clearTimeout(timer);
      kill();
      await exited;
    }
  }

  #fork(): ChildProcess {
    const { program, memoryBytes } = this.#options;
    const heap = Math.floor(memoryBytes / 1_048_576);
    return fork(program, ['--single-run'], {
      execArgv: [...process.execArgv, `--max-old-space-size=${heap}`],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  }
}

interface ExitedProcess {
  readonly order: DispatchOrder;
  readonly child: ChildProcess;
  readonly hasStarted: boolean;
  readonly logger: Logger;
}

function logExit({ order: { runId, attempt }, child, hasStarted, logger }: ExitedProcess): void {
  const fields = { runId, attempt, exitCode: child.exitCode, signal: child.signalCode };
  const what = hasStarted
    ? 'a run crashed its separate process'
    : 'a process for an isolated attempt did not start';
  logger.warn(fields, what);
}

/** Sends the order when the process is ready, forwards events, and resolves to the outcome. */
function outcomeOf(
  child: ChildProcess,
  order: DispatchOrder,
  onStarted: () => void,
): Promise<AttemptOutcome> {
  return new Promise((resolve) => {
    child.on('message', (received) => {
      const message = received as FromChild;
      if (message.kind === 'ready') {
        onStarted();
        send(child, { kind: 'run', order: toIsolatedOrder(order) });
      } else if (message.kind === 'event')
        void order.emit(parsePythonJson(message.text) as unknown as RunEvent);
      else resolve(message.outcome);
    });
  });
}

function toIsolatedOrder(order: DispatchOrder): IsolatedOrder {
  const { runId, attempt, userId, flowId, keyId, flowVersion, request } = order;
  const { durable, deadline, maximumAnswerBytes, recordSettings = null } = order;
  return {
    runId,
    attempt,
    userId,
    flowId,
    keyId,
    flowVersion,
    request,
    durable,
    deadline,
    maximumAnswerBytes,
    recordSettings,
    traceparent: activeTraceparent(),
  };
}

function send(child: ChildProcess, message: ToChild): void {
  // The process may have exited already; its exit event reports that.
  child.send(message, () => undefined);
}

function lostOutcome({ signal, deadline }: DispatchOrder): AttemptOutcome {
  if (signal.aborted) return outcome('cancelled', 'cancelled', 'The run was cancelled.');
  if (deadline <= machineTime()) {
    return outcome('timed_out', 'deadline_exceeded', 'The run did not end within its deadline.');
  }
  return outcome('dead', 'attempts_exhausted', 'The executor crashed on every attempt of the run.');
}

/** The outcome when the process did not start, which the run did not cause. */
function failedStartOutcome(order: DispatchOrder): AttemptOutcome {
  if (order.signal.aborted || order.deadline <= machineTime()) return lostOutcome(order);
  return { ...outcome('failed', 'internal', 'The run failed because of an internal error.'), byOutage: true };
}

function outcome(status: RunEnd, code: string, message: string): AttemptOutcome {
  const failure = wholeRunFailure(code, message);
  return { status, body: Buffer.from(JSON.stringify(failure)), failure, messages: [], byOutage: false };
}

import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { until as untilTrue } from '@millrace/service/testing';

const patienceMilliseconds = 90_000;

/** Of gateways and ingest; the executors of the default pool have no Python. */
export const pythonPolicy = { MILLRACE_PYTHON: 'all', MILLRACE_PYTHON_ALL_ALLOWED: 'true' };

/** Of executors with Python. */
export const pythonExecutor = {
  ...pythonPolicy,
  MILLRACE_PYTHON_WAIT_SECONDS: '60',
  MILLRACE_PYTHON_ENVIRONMENT: dirname(dirname(process.env['TEST_PYTHON'] ?? '')),
};

/** The zygote of an executor; undefined while it has none. */
export function zygoteOf(executor: number): number | undefined {
  return childrenOf(executor).find((pid) => commandOf(pid).includes('millrace_worker.zygote'));
}

/** The processes that the zygote of an executor has forked. */
export function pythonProcesses(executor: number): readonly number[] {
  const zygote = zygoteOf(executor);
  return zygote === undefined ? [] : childrenOf(zygote);
}

/** Sends a signal to a process of a test. Throws without one: the id 0 would be the group of the test itself. */
export function signal(pid: number | undefined, name: NodeJS.Signals): number {
  if (pid === undefined || !(pid > 1)) throw new Error('there is no such process');
  process.kill(pid, name);
  return pid;
}

/** A process that has ended and waits for its parent counts as ended. */
export function isRunning(pid: number): boolean {
  const state = stateOf(pid);
  return state !== null && state.letter !== 'Z';
}

/** Resolves when `isTrue` does. Processes start and end late on a busy machine. */
export function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  return untilTrue(isTrue, what, patienceMilliseconds);
}

/** The ids of the processes that a process has started, also of those that have ended. */
export function childrenOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => stateOf(pid)?.parent === parent);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function stateOf(pid: number): { readonly letter: string; readonly parent: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [letter = '', parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { letter, parent: Number(parent) };
  } catch {
    // It has ended.
    return null;
  }
}

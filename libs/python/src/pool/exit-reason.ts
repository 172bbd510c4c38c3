import { constants } from 'node:os';
import type { PythonObject } from '@millrace/python-text';
import { integerOf, textOf } from '../frames/members';
import type { SealSettings } from './pool-settings';

/** The exit status of a process without memory (`usage.py`). */
const memoryStatus = 71;
const mebibyte = 1024 * 1024;

/** Returns why a process ended, from the zygote's `exited` frame: the limit that it reached, its signal or its status. */
export function exitReason(exited: PythonObject, seal: SealSettings): string {
  const given = textOf(exited, 'reason');
  if (given !== '') return given;
  const status = integerOf(exited, 'status') ?? 0;
  const isSealed = seal.level !== 'off';
  if (status === memoryStatus) {
    return isSealed
      ? `it exceeded its memory limit of ${sizeText(seal.memoryBytes)}`
      : 'it has no memory left';
  }
  if (status >= 0) return `exit status ${status}`;
  const signal = signalName(-status);
  const cpuSeconds = integerOf(exited, 'cpuSeconds') ?? 0;
  const isCpuLimit = signal === 'SIGXCPU' || (signal === 'SIGKILL' && cpuSeconds >= seal.cpuSeconds);
  if (isSealed && isCpuLimit) return `it exceeded its CPU limit of ${seal.cpuSeconds} seconds`;
  const resident = sizeText(integerOf(exited, 'residentBytes') ?? 0);
  const limit = isSealed ? `, its limit was ${sizeText(seal.memoryBytes)} beyond the zygote's` : '';
  // Native code often ends so when it gets no memory.
  return signal === 'SIGABRT' || signal === 'SIGSEGV'
    ? `signal ${signal} (its largest memory was ${resident}${limit})`
    : `signal ${signal}`;
}

function signalName(number: number): string {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return found?.[0] ?? String(number);
}

function sizeText(bytes: number): string {
  return `${Math.round(bytes / mebibyte)} MiB`;
}

import { cpus } from 'node:os';

/** @typedef {{ readonly all: number, readonly idle: number }} MachineTimes Milliseconds. */

/**
 * Returns the total and idle time of all processors of this machine, in milliseconds.
 * @returns {MachineTimes}
 */
export function machineTimes() {
  const times = cpus().flatMap((processor) => Object.entries(processor.times));
  /** @param {[string, number][]} entries */
  const sum = (entries) => entries.reduce((total, [, milliseconds]) => total + milliseconds, 0);
  return { all: sum(times), idle: sum(times.filter(([name]) => name === 'idle')) };
}

/**
 * Returns the idle share of the time between two results of `machineTimes`.
 * @param {MachineTimes} before
 * @param {MachineTimes} after
 */
export function idleShare(before, after) {
  return (after.idle - before.idle) / Math.max(1, after.all - before.all);
}

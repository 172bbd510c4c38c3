import { cpus } from 'node:os';

/** What all processors of this machine did so far, in milliseconds. */
export function machineTimes() {
  const times = cpus().flatMap((processor) => Object.entries(processor.times));
  const sum = (entries) => entries.reduce((total, [, milliseconds]) => total + milliseconds, 0);
  return { all: sum(times), idle: sum(times.filter(([name]) => name === 'idle')) };
}

/** How much of the time between two looks nothing was done. */
export function idleShare(before, after) {
  return (after.idle - before.idle) / Math.max(1, after.all - before.all);
}

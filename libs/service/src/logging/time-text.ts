import { machineTime } from '../time/machine-time';

/** The last second that was written, since most lines of a busy process share theirs. */
let second = Number.NaN;
let secondText = '';

/** Returns the time of this machine as ISO 8601, in milliseconds. */
export function timeText(): string {
  const now = Math.floor(machineTime());
  const current = Math.floor(now / 1_000);
  if (current !== second) {
    second = current;
    // Up to the point before the milliseconds.
    secondText = new Date(current * 1_000).toISOString().slice(0, -4);
  }
  return `${secondText}${String(now - current * 1_000).padStart(3, '0')}Z`;
}

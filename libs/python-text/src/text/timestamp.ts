/** Cache: the second of the last timestamp and its text. Most timestamps are in the same second as the previous one. */
let second = Number.NaN;
let secondText = '';

/**
 * Returns a message's timestamp, `YYYY-mm-dd HH:MM:SS.ffffff UTC`, for a time in milliseconds since the epoch; the
 * fraction gives the microseconds.
 */
export function timestamp(milliseconds: number): string {
  const microseconds = Math.round(milliseconds * 1000);
  const seconds = Math.floor(microseconds / 1_000_000);
  if (seconds !== second) {
    const text = new Date(seconds * 1000).toISOString();
    secondText = `${text.slice(0, 10)} ${text.slice(11, 19)}`;
    second = seconds;
  }
  // The added million keeps leading zeros; its first digit is removed.
  const fraction = String(1_000_000 + microseconds - seconds * 1_000_000);
  return `${secondText}.${fraction.slice(1)} UTC`;
}

let latestMicroseconds = 0;

/**
 * Returns the current time in milliseconds since the epoch, with microseconds as its fraction: the given time, or that
 * of this machine's clock. Each call returns a later time than the previous one, so that messages sort in the order of
 * creation; the value goes back only if the clock is set back by a second or more.
 */
export function nowWithMicroseconds(given = machineNow()): number {
  const now = Math.round(given * 1000);
  const isLater = now > latestMicroseconds || now < latestMicroseconds - 1_000_000;
  latestMicroseconds = isLater ? now : latestMicroseconds + 1;
  return latestMicroseconds / 1000;
}

function machineNow(): number {
  const wall = Date.now();
  const precise = performance.timeOrigin + performance.now();
  // The precise clock drifts over days and during sleep; then the milliseconds of the wall clock are used.
  return Math.abs(precise - wall) < 5 ? precise : wall;
}

/** The latest second there was a timestamp in, and how it is written: most timestamps fall into the one before's. */
let second = Number.NaN;
let secondText = '';

/**
 * A message's timestamp, `YYYY-mm-dd HH:MM:SS.ffffff UTC`, of a time in milliseconds since the epoch; its fraction
 * gives the microseconds.
 */
export function timestamp(milliseconds: number): string {
  const microseconds = Math.round(milliseconds * 1000);
  const seconds = Math.floor(microseconds / 1_000_000);
  if (seconds !== second) {
    const text = new Date(seconds * 1000).toISOString();
    secondText = `${text.slice(0, 10)} ${text.slice(11, 19)}`;
    second = seconds;
  }
  // Six digits, the leading zeros included, behind the 1.
  const fraction = String(1_000_000 + microseconds - seconds * 1_000_000);
  return `${secondText}.${fraction.slice(1)} UTC`;
}

let latestMicroseconds = 0;

/**
 * Now, in milliseconds since the epoch with microseconds as its fraction: as given, or by this machine's clock. Each call
 * gives a later time than the one before, so that messages sort in the order they were made; only a clock set back by a
 * second or more is followed.
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
  // The precise clock drifts away over days and sleeps; then the wall clock's milliseconds must do.
  return Math.abs(precise - wall) < 5 ? precise : wall;
}

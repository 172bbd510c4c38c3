/**
 * A message's timestamp, `YYYY-mm-dd HH:MM:SS.ffffff UTC`, of a time in milliseconds since the epoch; its fraction
 * gives the microseconds.
 */
export function timestamp(milliseconds: number): string {
  const microseconds = Math.round(milliseconds * 1000);
  const text = new Date(Math.floor(microseconds / 1000)).toISOString();
  const rest = microseconds - Math.floor(microseconds / 1000) * 1000;
  return `${text.slice(0, 10)} ${text.slice(11, 23)}${String(rest).padStart(3, '0')} UTC`;
}

let latest = 0;

/**
 * Now, in milliseconds since the epoch with microseconds as its fraction. Each call gives a later time than the one
 * before, so that messages sort in the order they were made; only a clock set back by a second or more is followed.
 */
export function nowWithMicroseconds(): number {
  const wall = Date.now();
  const precise = performance.timeOrigin + performance.now();
  // The precise clock drifts away over days and sleeps; then the wall clock's milliseconds must do.
  const now = Math.abs(precise - wall) < 5 ? precise : wall;
  latest = now > latest || now < latest - 1000 ? now : latest + 0.001;
  return latest;
}

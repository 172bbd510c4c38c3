const SKEW = /^millrace_clock_skew_seconds(?:\{.*\})? (\S+)$/m;

/** How far the clock of an executor is ahead of the database's by its own metric, in seconds; null where it has none. */
export async function clockSkewOf({ healthPort }) {
  const response = await fetch(`http://127.0.0.1:${healthPort}/metrics`, {
    signal: AbortSignal.timeout(5_000),
  });
  const [, seconds] = SKEW.exec(await response.text()) ?? [];
  return seconds === undefined ? null : Number(seconds);
}

const SKEW = /^millrace_clock_skew_seconds(?:\{.*\})? (\S+)$/m;

/**
 * Resolves to the seconds by which an executor's clock is ahead of the database's, from its metric; null without one.
 * @param {{ readonly healthPort: number | undefined }} executor
 */
export async function clockSkewOf({ healthPort }) {
  const response = await fetch(`http://127.0.0.1:${healthPort}/metrics`, {
    signal: AbortSignal.timeout(5_000),
  });
  const [, seconds] = SKEW.exec(await response.text()) ?? [];
  return seconds === undefined ? null : Number(seconds);
}

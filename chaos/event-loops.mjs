/**
 * @typedef {{ readonly name: string, readonly from: number, readonly to: number, readonly samples: number, readonly late: number }} Span
 * @typedef {{ readonly samples: number, readonly late: number, readonly pid: number | undefined, readonly at: number }} Look
 * @typedef {{ readonly samples: number, readonly latePercent: number }} Lateness
 */

const BUCKET = /^millrace_event_loop_delay_seconds_bucket\{.*le="([^"]+)".*\} (\d+)/;
const LATE_SECONDS = '0.1';

/**
 * Measures the delay of event loops from the counters in /metrics. Each look adds the span since the one before, { name,
 * from, to, samples, late }; `late` counts delays of more than 100 ms.
 */
export class EventLoops {
  /** @type {Map<string, Look>} */
  #before = new Map();
  /** @type {Span[]} */
  spans = [];

  /**
   * Reads the counters of one service; adds no span if it does not answer or is another process than before.
   * @param {{ readonly name: string, readonly url: string, readonly pid: number | undefined }} service
   */
  async look({ name, url, pid }) {
    const counts = await countsOf(url).catch(() => undefined);
    const before = this.#before.get(name);
    this.#before.delete(name);
    if (counts === undefined) return;
    const now = { ...counts, pid, at: Date.now() };
    this.#before.set(name, now);
    if (before === undefined || before.pid !== pid || now.samples <= before.samples) return;
    this.spans.push({
      name,
      from: before.at,
      to: now.at,
      samples: now.samples - before.samples,
      late: now.late - before.late,
    });
  }

  /**
   * Returns { samples, latePercent } by name, over the spans that do not overlap these times ({ from, to }).
   * @param {readonly { readonly from: number, readonly to: number }[]} times
   * @returns {Record<string, Lateness>}
   */
  outside(times) {
    /** @type {Record<string, { samples: number, late: number }>} */
    const sums = {};
    for (const { name, from, to, samples, late } of this.spans) {
      if (times.some((time) => from < time.to && to > time.from)) continue;
      sums[name] ??= { samples: 0, late: 0 };
      sums[name].samples += samples;
      sums[name].late += late;
    }
    return Object.fromEntries(
      Object.entries(sums).map(([name, { samples, late }]) => [
        name,
        { samples, latePercent: Number(((100 * late) / samples).toFixed(2)) },
      ]),
    );
  }
}

/** @param {string} url */
async function countsOf(url) {
  const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(1_500) });
  const buckets = new Map();
  for (const line of (await response.text()).split('\n')) {
    const [, bound, count] = BUCKET.exec(line) ?? [];
    if (bound !== undefined) buckets.set(bound, Number(count));
  }
  const samples = buckets.get('+Inf');
  const inTime = buckets.get(LATE_SECONDS);
  if (samples === undefined || inTime === undefined)
    throw new Error(`${url} has no metric of event loop delay`);
  return { samples, late: samples - inTime };
}

const BUCKET = /^millrace_event_loop_delay_seconds_bucket\{.*le="([^"]+)".*\} (\d+)/;
const LATE_SECONDS = '0.1';

/**
 * How late the event loops of services are, from what their /metrics count since they started: each look adds the span
 * since the one before, { name, from, to, samples, late }. Late is later than 100 ms.
 */
export class EventLoops {
  #before = new Map();
  spans = [];

  /** Asks one service; nothing is added while it does not answer or when another process answers in its place. */
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

  /** By name, over the spans that touch none of these times ({ from, to }): { samples, latePercent }. */
  outside(times) {
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

async function countsOf(url) {
  const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(1_500) });
  const buckets = new Map();
  for (const line of (await response.text()).split('\n')) {
    const [, bound, count] = BUCKET.exec(line) ?? [];
    if (bound !== undefined) buckets.set(bound, Number(count));
  }
  const samples = buckets.get('+Inf');
  const inTime = buckets.get(LATE_SECONDS);
  if (samples === undefined || inTime === undefined) throw new Error(`${url} does not tell how late it is`);
  return { samples, late: samples - inTime };
}

import { quantile } from '../rounds.mjs';

/** @import { Page } from 'playwright-core' */

/**
 * What a page recorded, in milliseconds since its navigation.
 * @typedef {object} Recorded
 * @property {readonly [start: number, duration: number][]} longTasks
 * @property {readonly [at: number, delay: number][]} keys How long each key waited for its handler.
 * @property {readonly [at: number, duration: number][]} painted From a key to the paint after it, of keys that took over 16 ms.
 * @property {readonly [at: number, duration: number][]} frames
 * @property {number | null} firstRow
 */

/** Records long tasks, keys, frames and the first row of a list; evaluated before the scripts of the page. */
export const PROBE = `(() => {
  const probe = { longTasks: [], keys: [], painted: [], frames: [], firstRow: null };
  globalThis.millraceProbe = probe;
  const observe = (type, record, more = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(record)).observe({ type, buffered: true, ...more });
  observe('longtask', (entry) => probe.longTasks.push([entry.startTime, entry.duration]));
  observe(
    'event',
    (entry) => entry.name === 'keydown' && probe.painted.push([entry.startTime, entry.duration]),
    { durationThreshold: 16 },
  );
  addEventListener('keydown', (event) => probe.keys.push([event.timeStamp, performance.now() - event.timeStamp]), true);
  new MutationObserver((_, observer) => {
    if (document.querySelector('.runs-body [role="row"]') === null) return;
    observer.disconnect();
    requestAnimationFrame(() => (probe.firstRow = performance.now()));
  }).observe(document, { childList: true, subtree: true });
  probe.watchFrames = () => {
    let before;
    const next = (now) => {
      if (before !== undefined) probe.frames.push([now, now - before]);
      before = now;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  };
})()`;

/** @param {Page} page */
export async function watchFrames(page) {
  await page.evaluate('millraceProbe.watchFrames()');
}

/**
 * @param {Page} page
 * @returns {Promise<Recorded>}
 */
export function recorded(page) {
  return page.evaluate('JSON.parse(JSON.stringify(millraceProbe))');
}

/**
 * Resolves to the time of the page, in milliseconds since its navigation.
 * @param {Page} page
 * @returns {Promise<number>}
 */
export function timeOf(page) {
  return page.evaluate('performance.now()');
}

/**
 * Sums the long tasks that began in a span of time; a task blocks for what exceeds 50 ms.
 * @param {Recorded} record
 * @param {{ readonly from: number, readonly to: number }} span
 */
export function longTasksOf({ longTasks }, { from, to }) {
  const durations = longTasks.filter(([at]) => at >= from && at <= to).map(([, duration]) => duration);
  return {
    longTasks: durations.length,
    longest: Math.max(0, ...durations),
    blocking: durations.reduce((sum, duration) => sum + Math.max(0, duration - 50), 0),
  };
}

/**
 * Describes durations of events in a span of time.
 * @param {readonly [at: number, duration: number][]} entries
 * @param {{ readonly from: number, readonly to: number }} span
 */
export function spreadOf(entries, { from, to }) {
  const sorted = entries
    .filter(([at]) => at >= from && at <= to)
    .map(([, duration]) => duration)
    .sort((left, right) => left - right);
  return {
    count: sorted.length,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    worst: quantile(sorted, 1),
    over50: sorted.filter((duration) => duration > 50).length,
  };
}

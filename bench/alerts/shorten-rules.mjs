import { parse, stringify } from 'yaml';

/** No time that is divided becomes shorter than this: Prometheus scrapes every second. */
const MINIMUM_SECONDS = 5;
/** No time that is divided stays longer than this. */
const MAXIMUM_SECONDS = 60;
const UNITS = /** @type {Readonly<Record<string, number>>} */ ({ s: 1, m: 60, h: 3600 });
/** The threshold of an age in seconds. */
const AGE = /(_oldest_seconds\) > )(\d+)/g;

/**
 * Returns the rules with their times divided by `divisor`, within 5 and 60 seconds: how long a condition must hold, the
 * windows of expressions, and thresholds of ages. With 1, the rules stay as they are.
 * @param {string} text
 * @param {number} divisor
 */
export function shortenRules(text, divisor) {
  if (divisor === 1) return text;
  /** @param {string} duration such as 5m, 90s or 1h */
  const shorter = (duration) => {
    const seconds = Number(duration.slice(0, -1)) * (UNITS[duration.slice(-1)] ?? NaN);
    if (!Number.isFinite(seconds)) throw new Error(`unknown duration in the rules: ${duration}`);
    return `${Math.min(MAXIMUM_SECONDS, Math.max(MINIMUM_SECONDS, Math.round(seconds / divisor)))}s`;
  };
  const { groups } =
    /** @type {{ groups: { interval?: string, rules: { expr: string, for?: string }[] }[] }} */ (parse(text));
  for (const group of groups) {
    delete group.interval;
    for (const rule of group.rules) {
      rule.expr = rule.expr
        .replace(/\[(\w+)\]/g, (_, duration) => `[${shorter(duration)}]`)
        .replace(AGE, (_, start, age) => `${start}${Math.max(MINIMUM_SECONDS, Math.round(age / divisor))}`);
      if (rule.for !== undefined) rule.for = shorter(rule.for);
    }
  }
  return stringify({ groups });
}

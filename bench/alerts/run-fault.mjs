import { setTimeout as pause } from 'node:timers/promises';

/** @import { AlertFault } from './faults.mjs' */
/** @import { WatchedSystem } from './watched-system.mjs' */

const POLL_MILLISECONDS = 250;
const FIRE_WITHIN_MILLISECONDS = 150_000;
const CLEAR_WITHIN_MILLISECONDS = 180_000;
/** With the rules as they are, whose windows are up to 15 minutes long. */
const UNSHORTENED_MILLISECONDS = 1_800_000;

/**
 * Waits until no alert fires, begins the fault, and resolves to the seconds after which each of its alerts fired and, after
 * the end of the fault, cleared; null for one that did not in time.
 * @param {AlertFault} fault
 * @param {WatchedSystem} system
 */
export async function runFault({ alerts, begin, id }, system) {
  const fireWithin = system.isShortened ? FIRE_WITHIN_MILLISECONDS : UNSHORTENED_MILLISECONDS;
  const clearWithin = system.isShortened ? CLEAR_WITHIN_MILLISECONDS : UNSHORTENED_MILLISECONDS;
  const firing = async () => (await system.prometheus.alerts()).filter(({ state }) => state === 'firing');
  const waited = await reach(async () => (await firing()).length === 0, clearWithin);
  if (waited === null)
    throw new Error(
      `before ${id}, alerts fire: ${(await firing()).map(({ labels }) => labels.alertname).join(', ')}`,
    );
  /** @type {Map<string, { fired: number, summary: string }>} */
  const fired = new Map();
  const began = performance.now();
  const end = await begin(system);
  await reach(async () => {
    for (const { labels, annotations } of await firing()) {
      const { alertname: name = '' } = labels;
      if (!fired.has(name))
        fired.set(name, { fired: secondsSince(began), summary: annotations.summary ?? '' });
    }
    return alerts.every((name) => fired.has(name));
  }, fireWithin);
  const ended = performance.now();
  await end();
  /** @type {Map<string, number>} */
  const cleared = new Map();
  await reach(async () => {
    const names = new Set((await firing()).map(({ labels }) => labels.alertname));
    for (const name of alerts)
      if (names.has(name)) cleared.delete(name);
      else if (!cleared.has(name)) cleared.set(name, secondsSince(ended));
    return names.size === 0;
  }, clearWithin);
  const others = [...fired.keys()].filter((name) => !alerts.includes(name));
  if (others.length > 0) console.log(`| ${id} | also fired: ${others.join(', ')} | | |`);
  return alerts.map((alert) => ({
    alert,
    summary: fired.get(alert)?.summary ?? '',
    fired: fired.get(alert)?.fired ?? null,
    cleared: fired.has(alert) ? (cleared.get(alert) ?? null) : null,
  }));
}

/** @param {number} start */
function secondsSince(start) {
  return Math.round((performance.now() - start) / 100) / 10;
}

/**
 * Resolves to true when the condition holds; to null when it does not in time.
 * @param {() => Promise<boolean>} condition
 * @param {number} milliseconds
 */
async function reach(condition, milliseconds) {
  const giveUpAt = performance.now() + milliseconds;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) return null;
    await pause(POLL_MILLISECONDS);
  }
  return true;
}

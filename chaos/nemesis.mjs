import { setTimeout as pause } from 'node:timers/promises';
import { measureRecovery } from './recovery.mjs';

/**
 * Injects faults one after the other, with pauses, until the time is over and each was injected at least once: all of them
 * once before any is repeated. Resolves to { id, from, to, evidence, recovery, missed } of each injection.
 */
export async function runNemesis(site, faults, { milliseconds, timeline, signal }) {
  const end = Date.now() + milliseconds;
  const random = site.random.fork('order');
  const injections = [];
  const goesOn = () => Date.now() < end || injections.length < faults.length;
  for (let bag = []; goesOn() && !signal.aborted; bag = bag.slice(1)) {
    if (bag.length === 0) bag = random.shuffled(faults);
    await pause(random.integer(1_500, 5_000));
    injections.push(await injectFault(bag[0], site, timeline));
  }
  return injections;
}

/** Injects one fault, heals it and measures the recovery. `missed` is the reason if it did not happen or did not heal. */
export async function injectFault(fault, site, timeline) {
  const { id, title, inject } = fault;
  const from = Date.now();
  timeline.add(id, title);
  const result = { id, from, evidence: {}, recovery: {} };
  try {
    result.evidence = await inject({
      ...site,
      random: site.random.fork(`${id} ${site.injections}`),
      note: (text) => timeline.add(id, text),
    });
  } catch (error) {
    result.missed = error.message;
    timeline.add(id, `missed: ${error.message}`);
  }
  site.injections += 1;
  result.recovery = await measureRecovery(site);
  result.to = Date.now();
  const { firstSuccessMilliseconds, backlogEmptyMilliseconds } = result.recovery;
  timeline.add(
    id,
    `healed; success again after ${firstSuccessMilliseconds ?? '∞'} ms, backlog empty after ${backlogEmptyMilliseconds ?? '∞'} ms`,
  );
  return result;
}

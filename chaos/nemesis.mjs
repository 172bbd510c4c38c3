import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../tools/workspace/error-fields.mjs';
import { measureRecovery } from './recovery.mjs';

/** @import { Fault, Injection, Site } from './fault.ts' */
/** @import { Timeline } from './timeline.mjs' */

/**
 * Injects faults one after the other, with pauses, until the time is over and each was injected at least once: all of them
 * once before any is repeated. Resolves to { id, from, to, evidence, recovery, missed } of each injection.
 * @param {Site} site
 * @param {readonly Fault[]} faults
 * @param {{ readonly milliseconds: number, readonly timeline: Timeline, readonly signal: AbortSignal }} options
 */
export async function runNemesis(site, faults, { milliseconds, timeline, signal }) {
  const end = Date.now() + milliseconds;
  const random = site.random.fork('order');
  /** @type {Injection[]} */
  const injections = [];
  const goesOn = () => Date.now() < end || injections.length < faults.length;
  for (let bag = random.shuffled(faults); goesOn() && !signal.aborted;) {
    if (bag.length === 0) bag = random.shuffled(faults);
    await pause(random.integer(1_500, 5_000));
    injections.push(await injectFault(bag[0], site, timeline));
    bag = bag.slice(1);
  }
  return injections;
}

/**
 * Injects one fault, heals it and measures the recovery. `missed` is the reason if it did not happen or did not heal.
 * @param {Fault} fault
 * @param {Site} site
 * @param {Timeline} timeline
 * @returns {Promise<Injection>}
 */
export async function injectFault(fault, site, timeline) {
  const { id, title, inject } = fault;
  const from = Date.now();
  timeline.add(id, title);
  /** @type {Pick<Injection, 'evidence' | 'missed'>} */
  let result;
  try {
    const evidence = await inject({
      ...site,
      random: site.random.fork(`${id} ${site.injections}`),
      note: (text) => timeline.add(id, text),
    });
    result = { evidence };
  } catch (error) {
    result = { evidence: {}, missed: messageOf(error) };
    timeline.add(id, `missed: ${result.missed}`);
  }
  site.injections += 1;
  const recovery = await measureRecovery(site);
  const to = Date.now();
  const { firstSuccessMilliseconds, backlogEmptyMilliseconds } = recovery;
  timeline.add(
    id,
    `healed; success again after ${firstSuccessMilliseconds ?? '∞'} ms, backlog empty after ${backlogEmptyMilliseconds ?? '∞'} ms`,
  );
  return { id, from, to, ...result, recovery };
}

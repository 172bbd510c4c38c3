import { setTimeout as pause } from 'node:timers/promises';
import { measureRecovery } from './recovery.mjs';

/**
 * Strikes with one fault after the other, with pauses, until the time is over and each has struck: each of them once
 * before any comes again. Resolves to what each did: { id, from, to, evidence, recovery, missed }.
 */
export async function letNemesisLoose(site, faults, { milliseconds, timeline, signal }) {
  const end = Date.now() + milliseconds;
  const random = site.random.fork('order');
  const strikes = [];
  const goesOn = () => Date.now() < end || strikes.length < faults.length;
  for (let bag = []; goesOn() && !signal.aborted; bag = bag.slice(1)) {
    if (bag.length === 0) bag = random.shuffled(faults);
    await pause(random.integer(1_500, 5_000));
    strikes.push(await strikeWith(bag[0], site, timeline));
  }
  return strikes;
}

/** One fault with its heal and what came after. A fault that missed or did not heal says so in `missed`. */
export async function strikeWith(fault, site, timeline) {
  const { id, title, strike } = fault;
  const from = Date.now();
  timeline.add(id, title);
  const result = { id, from, evidence: {}, recovery: {} };
  try {
    result.evidence = await strike({
      ...site,
      random: site.random.fork(`${id} ${site.strikes}`),
      note: (text) => timeline.add(id, text),
    });
  } catch (error) {
    result.missed = error.message;
    timeline.add(id, `missed: ${error.message}`);
  }
  site.strikes += 1;
  result.recovery = await measureRecovery(site);
  result.to = Date.now();
  const { firstSuccessMilliseconds, backlogEmptyMilliseconds } = result.recovery;
  timeline.add(
    id,
    `healed; success again after ${firstSuccessMilliseconds ?? '∞'} ms, backlog empty after ${backlogEmptyMilliseconds ?? '∞'} ms`,
  );
  return result;
}

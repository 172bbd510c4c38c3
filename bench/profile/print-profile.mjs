/** @import { ProfiledSide } from './profile-scenario.mjs' */

/** Hops below this share are omitted from the output; the results contain them. */
const MINIMUM_SHARE = 0.005;
const SHOWN_FUNCTIONS = 10;

/**
 * Prints for each service the CPU time of a run and its distribution over hops.
 * @param {string} title
 * @param {ProfiledSide} side
 */
export function printProfile(title, { requests, errors, services }) {
  console.log(`\n${title}: ${requests} runs, ${errors} errors`);
  for (const { service, cpuMicroseconds, hops, functions } of services) {
    console.log(`\n  ${service.padEnd(38)} ${cpuMicroseconds.toFixed(1).padStart(7)} µs of CPU per run`);
    for (const { name, share } of hops.filter((hop) => hop.share >= MINIMUM_SHARE))
      console.log(
        `    ${name.padEnd(36)} ${(share * cpuMicroseconds).toFixed(1).padStart(7)} µs ${percent(share)}`,
      );
    console.log('    hottest functions');
    for (const { name, share } of functions.slice(0, SHOWN_FUNCTIONS))
      console.log(`      ${percent(share)}  ${name}`);
  }
}

/** @param {number} share */
function percent(share) {
  return `${(share * 100).toFixed(1).padStart(5)} %`;
}

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environment } from '../environment.mjs';
import { BenchEnvironment } from '../bench-environment.mjs';
import { mark, markedProcesses } from './marked-processes.mjs';
import { printProfile } from './print-profile.mjs';
import { readProfile } from './read-profile.mjs';

/** @import { LoadFigures, LoadSize, Scenario } from '../scenario.ts' */
/** @import { MachineEnvironment } from '../environment.mjs' */
/** @import { Profile } from './read-profile.mjs' */

/**
 * @typedef {{ readonly service: string, readonly cpuMicroseconds: number } & Profile} ProfiledService
 *
 * @typedef {object} ProfiledSide
 * @property {number} requests
 * @property {number} perSecond
 * @property {number} errors
 * @property {readonly ProfiledService[]} services
 *
 * @typedef {object} ProfileResult
 * @property {MachineEnvironment} environment
 * @property {string} id
 * @property {string} title
 * @property {readonly (ProfiledSide & { readonly name: string })[]} sides
 */

const preloaded = fileURLToPath(new URL('mark-on-signal.cjs', import.meta.url));

/**
 * Runs each Millrace side of a scenario three times with `runs` runs: to warm it up, to count the CPU time of every
 * service, and to profile it. Resolves to { environment, id, title, sides }; writes the profiles, for a browser's developer
 * tools, to the folder `profiles`.
 * @param {Scenario} scenario
 * @param {{ runs: number, services: readonly string[] | undefined, profiles: string }} options
 * @returns {Promise<ProfileResult>}
 */
export async function profileScenario(scenario, { runs, services, profiles }) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-profile-'));
  process.env.NODE_OPTIONS = `--require ${preloaded}`;
  process.env.BENCH_PROFILE_FOLDER = folder;
  const benchEnvironment = new BenchEnvironment({ services, seconds: 1 });
  /** @type {(ProfiledSide & { name: string })[]} */
  const sides = [];
  try {
    for (let position = 0, left = true; left; position += 1) {
      // Each side gets new processes, so that code compiled for one does not affect the profile of the next.
      const opened = Object.entries(await scenario.open(benchEnvironment)).filter(
        ([name, { throughput }]) => name !== 'limit' && throughput !== undefined,
      );
      const [name, side] = opened[position] ?? [];
      if (side?.throughput === undefined) throw new Error(`${scenario.id} has no side to profile`);
      const profile = await profileSide(side.throughput, {
        folder,
        runs,
        label: `${scenario.id}-${name}`,
        profiles,
      });
      await benchEnvironment.closeScenario();
      printProfile(`${scenario.id} ${name}`, profile);
      sides.push({ name, ...profile });
      left = position + 1 < opened.length;
    }
  } finally {
    await benchEnvironment.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return { environment: environment(), id: scenario.id, title: scenario.title, sides };
}

/**
 * @param {(size: LoadSize) => Promise<LoadFigures>} throughput
 * @param {{ folder: string, runs: number, label: string, profiles: string }} options
 * @returns {Promise<ProfiledSide>}
 */
async function profileSide(throughput, { folder, runs, label, profiles }) {
  await throughput({ amount: runs });
  const processes = markedProcesses(folder);
  await mark(folder, processes, 1);
  const counted = await throughput({ amount: runs });
  await mark(folder, processes, 2);
  await throughput({ amount: runs });
  const marks = await mark(folder, processes, 3);
  mkdirSync(profiles, { recursive: true });
  return {
    requests: counted.requests,
    perSecond: counted.perSecond,
    errors: counted.errors,
    services: processes.map(({ service, pid }, index) => {
      const written = join(folder, `${pid}.cpuprofile`);
      copyFileSync(written, join(profiles, `${label}-${service}.cpuprofile`));
      const cpuMicroseconds = marks[index].cpuMicroseconds / counted.requests;
      return { service, cpuMicroseconds, ...readProfile(JSON.parse(readFileSync(written, 'utf8'))) };
    }),
  };
}

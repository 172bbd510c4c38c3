/** @import { ProfiledService, ProfileResult } from '../profile/profile-scenario.mjs' */

/** Hops below this share are omitted; the results contain them. */
const MINIMUM_SHARE = 0.01;

/**
 * Returns the lines of a page: the CPU time of a run for each service, and its distribution over hops.
 * @param {readonly ProfileResult[]} profiles
 */
export function profileSections(profiles) {
  return [
    '## Where the time goes',
    '',
    'Microseconds of CPU per run and service, counted by the kernel; divided among the hops by a CPU profile of the main',
    'thread. Generated from the results of `npm run bench -- --profile`.',
    '',
    ...profiles.flatMap(({ id, title, environment, sides }) =>
      sides.flatMap(({ name, requests, services }) => [
        `### ${id} ${name}`,
        '',
        `${title}; ${requests} runs, revision \`${environment.revision}\`, load before ${environment.loadBefore.toFixed(2)}.`,
        '',
        ...services.flatMap(service),
      ]),
    ),
  ];
}

/** @param {ProfiledService} service */
function service({ service: name, cpuMicroseconds, hops }) {
  return [
    `| ${name} | ${cpuMicroseconds.toFixed(0)} µs | 100 % |`,
    '| --- | --- | --- |',
    ...hops
      .filter(({ share }) => share >= MINIMUM_SHARE)
      .map(
        ({ name: hop, share }) =>
          `| ${hop} | ${(share * cpuMicroseconds).toFixed(1)} µs | ${(share * 100).toFixed(1)} % |`,
      ),
    '',
  ];
}

/** Hops below this share are left out; the results have them. */
const SMALLEST_SHARE = 0.01;

/** What a run costs each service, and which hop takes which part of it: the lines of a page. */
export function profileSections(profiles) {
  return [
    '## Where the time goes',
    '',
    'Microseconds of CPU a run, of every service, from the kernel; divided among the hops by a CPU profile of its main',
    'thread. Written from the results of `npm run bench -- --profile`.',
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

function service({ service: name, cpuMicroseconds, hops }) {
  return [
    `| ${name} | ${cpuMicroseconds.toFixed(0)} µs | 100 % |`,
    '| --- | --- | --- |',
    ...hops
      .filter(({ share }) => share >= SMALLEST_SHARE)
      .map(
        ({ name: hop, share }) =>
          `| ${hop} | ${(share * cpuMicroseconds).toFixed(1)} µs | ${(share * 100).toFixed(1)} % |`,
      ),
    '',
  ];
}

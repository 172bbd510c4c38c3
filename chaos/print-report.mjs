/** @import { Fault } from './fault.ts' */
/** @import { Report } from './run-chaos.mjs' */

const SHOWN = 5;

/**
 * Prints the report: figures, invariants, limits of a single fault.
 * @param {Report} report
 * @param {Fault | undefined} fault
 * @param {(line: string) => void} print
 */
export function printReport(report, fault, print) {
  const { figures, invariants, limits, sometimes } = report;
  print('');
  for (const kind of /** @type {const} */ ([
    'webhooks',
    'runs',
    'keyed',
    'python',
    'streams',
    'deliveries',
  ])) {
    const { sent, good, refusedPercent, p50, p99 } = figures[kind];
    if (kind === 'python' && sent === 0) continue;
    print(
      `${kind.padEnd(10)} ${good} of ${sent} succeeded, ${refusedPercent} % refused, p50 ${p50} ms, p99 ${p99} ms`,
    );
  }
  print(`answers   ${list(figures.statuses)}`);
  print(`events    ${list(figures.events)}`);
  print(`suspended ${list(figures.suspensions)}`);
  print(`runs end  ${list(figures.ends)}`);
  for (const [failure, count] of Object.entries(figures.failures)) print(`          ${count} × ${failure}`);
  print(`attempts  ${list(figures.attempts)}; ${figures.sinkDuplicates} effects repeated`);
  print(
    `reported  ${figures.streamsWithGaps.length} streams lost tokens before their end, ${figures.unrecorded} answered runs have no record`,
  );
  if (figures.diedOfKills > 0)
    print(`          ${figures.diedOfKills} runs are dead because the executor of each attempt was killed`);
  if (figures.python.sent > 0)
    print(`          ${figures.endedWithPython} runs failed because their Python process was killed`);
  for (const [name, { samples, latePercent }] of Object.entries(figures.eventLoops))
    print(
      `          the event loop of ${name} was late in ${latePercent} % of ${samples} samples outside of faults`,
    );
  print(`observed  ${sometimes.map(({ what, count }) => `${what} ${count}`).join(', ')}`);
  print('');
  for (const { id, promise, found, isTiming } of invariants) {
    const word = found.length === 0 ? 'held  ' : isTiming ? 'MISSED' : 'BROKEN';
    print(`${id.padEnd(4)} ${word} ${promise}`);
    for (const what of found.slice(0, SHOWN)) print(`            ${what}`);
    if (found.length > SHOWN) print(`            and ${found.length - SHOWN} more`);
  }
  if (fault === undefined) return;
  print(`\n${fault.id} must hold: ${fault.mustHold}`);
  for (const { what, value, limit, holds } of limits)
    print(`  ${holds ? 'held  ' : 'MISSED'} ${what}: ${value} (at most ${limit})`);
}

/** @param {Readonly<Record<string, number>>} counts */
function list(counts) {
  return Object.entries(counts)
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ');
}

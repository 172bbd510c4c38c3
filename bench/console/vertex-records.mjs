import { setTimeout as pause } from 'node:timers/promises';
import { closedLoop } from '../load/closed-loop.mjs';
import { openLoop } from '../load/open-loop.mjs';
import { median } from '../rounds.mjs';
import { exampleFlow, upload } from '../flows.mjs';
import { servicesTimes } from './services-times.mjs';

/** @import { BenchSystem } from '../bench-environment.mjs' */

/** The sampled records of a flow: none, those that every flow has, and of every run. */
const SETTINGS = { none: { sampleRate: 0 }, 'by default': {}, 'every run': { sampleRate: 1 } };
/** Runs a second; null is as many as 64 callers get. */
const RATES = [10, 100, 1_000, null];
const CONNECTIONS = 64;
const WARM_UP_RUNS = 500;
/** Records are stored after the answer. */
const SETTLE_MILLISECONDS = 3_000;

/**
 * Measures the CPU time of a run without records of its vertices, with those of the first runs in a second and the usual sample, and
 * with records of every run, at several rates. Each round measures all of them one after the other, so that other work on the machine
 * affects them alike. Resolves to the medians in microseconds, by rate.
 * @param {{ readonly system: BenchSystem, readonly rounds: number, readonly seconds: number }} options
 */
export async function measureVertexRecords({ system, rounds, seconds }) {
  const flows = await Promise.all(
    Object.entries(SETTINGS).map(async ([name, records], index) => {
      const { endpoint } = await upload(system, exampleFlow('echo', `bench-records-${index}`, { records }));
      return { name, url: `${system.url}/api/v1/run/${endpoint}` };
    }),
  );
  const { headers } = system;
  const body = { input_value: 'hello', session_id: 'bench' };
  for (const { url } of flows)
    await closedLoop({ url, headers, body, connections: CONNECTIONS, amount: WARM_UP_RUNS });
  /** @type {Record<string, Record<string, number[]>>} */
  const found = {};
  for (let round = 0; round < rounds; round += 1)
    for (const perSecond of RATES)
      for (const { name, url } of round % 2 === 0 ? flows : flows.toReversed()) {
        await pause(SETTLE_MILLISECONDS);
        const before = await servicesTimes(system);
        const json = { 'content-type': 'application/json' };
        const { requests, errors } = await (perSecond === null
          ? closedLoop({ url, headers, body, connections: CONNECTIONS, seconds })
          : openLoop({ url, headers: { ...headers, ...json }, body, perSecond, seconds }));
        const after = await servicesTimes(system);
        const used = Object.entries(after).reduce((sum, [id, time]) => sum + time - (before[id] ?? 0), 0);
        const rate = perSecond === null ? 'full speed' : `${perSecond} a second`;
        console.log(
          `    ${rate}, ${name}: ${requests} runs, ${errors} errors, ${(used / requests).toFixed(0)} µs`,
        );
        ((found[rate] ??= {})[name] ??= []).push(used / requests);
      }
  return Object.fromEntries(
    Object.entries(found).map(([rate, sides]) => [
      rate,
      Object.fromEntries(Object.entries(sides).map(([name, times]) => [name, median(times)])),
    ]),
  );
}

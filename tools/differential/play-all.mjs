import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { generateCase } from './generate-case.mjs';
import { readTrend, writeTrend } from './trend.mjs';
import { causeOf, tryCase } from './try-case.mjs';
import { failuresOf, summarise, writeReport } from './write-report.mjs';

/** @import { OpenDifference, Result, WantedDifference } from './case.ts' */
/** @import { Material } from './generate-case.mjs' */
/** @import { Pair } from './try-case.mjs' */

/** Of each cause. */
const SHRUNK_CASES = 1;
/** A cause that so many cases showed twice is known, and is not played a second time. */
const KNOWN_AFTER = 2;
const SHOWN_CAUSES = 40;

/**
 * Plays the cases of a seed that have not been played, and writes the report. Resolves to the sentences that say why the run
 * fails; none when it found nothing.
 * @param {{ readonly commit: string, readonly folder: string, readonly trend: string | null, readonly material: Material,
 *   readonly types: readonly string[], readonly requests: number, readonly parallel: number, readonly plays: number,
 *   readonly resume: boolean, readonly wanted: readonly WantedDifference[], readonly open: readonly OpenDifference[],
 *   readonly openPair: () => Promise<Pair> }} run
 */
export async function playAll({
  folder,
  trend,
  requests,
  resume,
  material,
  types,
  commit,
  wanted,
  open,
  ...options
}) {
  mkdirSync(folder, { recursive: true });
  const state = join(folder, 'state.jsonl');
  if (!resume) rmSync(state, { force: true });
  const results = readResults(state);
  const started = performance.now();
  const done = new Set(results.map(({ id }) => id));
  const waiting = Array.from({ length: requests }, (_, id) => id).filter((id) => !done.has(id));
  await playWaiting(waiting, { ...options, wanted, open, material, results, state });
  results.sort((one, other) => one.id - other.id);
  const seconds = Math.round((performance.now() - started) / 1000);
  const summary = summarise({ seed: material.seed, commit, results, wanted, open, types, seconds });
  writeReport(folder, summary, trend === null ? [] : writeTrend(trend, readTrend(trend), summary));
  const failures = failuresOf(summary);
  const { outcomes, runs } = summary;
  console.log(
    `\n${JSON.stringify(outcomes)}, ${runs.langflow} of ${runs.total} runs succeed on Langflow, ${seconds} s`,
  );
  for (const { cause, cases, failed } of summary.causes.slice(0, SHOWN_CAUSES))
    console.log(`${String(cases.length).padStart(5)} ${String(failed.length).padStart(5)}  ${cause}`);
  console.log(`\n${join(folder, 'report.html')}\n${failures.join(' ') || 'no differences'}`);
  return failures;
}

/**
 * @param {number[]} waiting
 * @param {Pick<Parameters<typeof playAll>[0], 'material' | 'parallel' | 'plays' | 'wanted' | 'open' | 'openPair'> & {
 *   readonly results: Result[], readonly state: string }} run
 */
async function playWaiting(waiting, { material, parallel, plays, openPair, wanted, open, results, state }) {
  const causes = results.flatMap(({ differences }) => differences.map(causeOf));
  const [shrunk, known] = [new Map(), countsOf(causes)];
  const shrinks = (/** @type {string} */ cause) => {
    const count = shrunk.get(cause) ?? 0;
    shrunk.set(cause, count + 1);
    return count < SHRUNK_CASES;
  };
  const isKnown = (/** @type {string} */ cause) => (known.get(cause) ?? 0) >= KNOWN_AFTER;
  const work = async () => {
    let pair = await openPair();
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const result = await tryCase(generateCase(id, material), pair, {
        wanted,
        open,
        isKnown,
        shrinks,
        plays,
      });
      results.push(result);
      appendFileSync(state, `${JSON.stringify(result)}\n`);
      for (const difference of result.differences)
        known.set(causeOf(difference), (known.get(causeOf(difference)) ?? 0) + 1);
      console.log(
        `${String(id).padStart(5)}  ${result.outcome.padEnd(9)}  ${result.form}  ${result.types.join(' ')}`,
      );
      // The next case must find the same on both servers. A run leaves nothing: its flow is deleted.
      if (result.outcome !== 'equal' && result.ran === null) pair = await openPair();
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
}

/**
 * @param {string} state
 * @returns {Result[]}
 */
function readResults(state) {
  if (!existsSync(state)) return [];
  // The last line of a run that was interrupted can be a part.
  const lines = readFileSync(state, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

/**
 * @param {readonly string[]} names
 * @returns {Map<string, number>}
 */
function countsOf(names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

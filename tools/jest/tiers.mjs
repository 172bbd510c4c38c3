// Which test files run in `npm test`, and which in `npm run test:full` alone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { committedTestTimes, readTestTimes } from './test-times.cjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/** By name: `x.full.test.ts`, and suites with the packages of apps/python-worker. */
const FULL_ALONE = /\.full\.|\.python\./;
const DRAWS_CASES = /\bpropertyCases\(/;
/** Of a test file that has not run yet: the median of those that the full tier alone runs. */
const UNKNOWN_SECONDS = 35;
/** The suites with more take a third of the processor time of all suites that need no servers. */
const LONG_SECONDS = 4;

/**
 * Returns whether `npm test` runs a test file.
 * @param {string} file
 */
export function isQuick(file) {
  return !FULL_ALONE.test(file);
}

/**
 * Returns whether a test file took long when it last ran in `npm test`.
 * @param {string} file
 */
export function tookLong(file) {
  return (readTestTimes().quick[file]?.[1] ?? 0) >= LONG_SECONDS;
}

/**
 * Returns the test files that have more to check after `npm test`: those that it leaves out, and those of which it checks a
 * share of the cases.
 * @param {readonly string[]} files
 */
export function leftByQuick(files) {
  return files.filter(
    (file) => !isQuick(file) || DRAWS_CASES.test(readFileSync(join(workspaceRoot, file), 'utf8')),
  );
}

/**
 * Returns one of `count` parts of the test files, which take about the same time: mostly that of servers, browsers and
 * deadlines, of which a test process knows no processor time.
 * @param {readonly string[]} files
 * @param {{ readonly number: number, readonly count: number }} shard `number` from 1 to `count`
 */
export function shardOf(files, { number, count }) {
  const { quick, full } = committedTestTimes();
  const times = { ...quick, ...full };
  const seconds = (/** @type {string} */ file) => times[file]?.[1] ?? UNKNOWN_SECONDS;
  const sorted = [...files].sort((left, right) => seconds(right) - seconds(left) || (left < right ? -1 : 1));
  const shards = Array.from({ length: count }, () => ({ seconds: 0, files: /** @type {string[]} */ ([]) }));
  for (const file of sorted) {
    const least = shards.reduce((left, right) => (right.seconds < left.seconds ? right : left));
    least.seconds += seconds(file);
    least.files.push(file);
  }
  return shards[number - 1]?.files ?? [];
}

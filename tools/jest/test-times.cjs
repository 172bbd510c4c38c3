// How long each test file took when it last ran: test-times.json, which each run of a whole tier or shard writes.
const { spawnSync } = require('node:child_process');
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { join, relative } = require('node:path');

const root = join(__dirname, '..', '..');
const NAME = 'test-times.json';
const FILE = join(root, NAME);
/** A new figure replaces the recorded one when it differs by more than this factor and by more than these seconds. */
const FACTOR = 1.5;
const SECONDS = 0.5;

/**
 * @typedef {{ readonly path: string, readonly processorSeconds: number, readonly wallSeconds: number }} TestTime
 * @typedef {'quick' | 'full'} Cases with how many cases expensive properties are checked
 * @typedef {Record<Cases, Record<string, readonly [processorSeconds: number, wallSeconds: number]>>} TestTimes
 */

/** @returns {TestTimes} */
function readTestTimes() {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : { quick: {}, full: {} };
}

/**
 * Returns the times of the last commit, which all shards of a run divide the test files by: each writes its own times. Without
 * Git, those of the file, which no shard may write then.
 * @returns {TestTimes}
 */
function committedTestTimes() {
  const { status, stdout } = spawnSync('git', ['show', `HEAD:${NAME}`], { cwd: root, encoding: 'utf8' });
  return status === 0 ? JSON.parse(stdout) : readTestTimes();
}

function hasCommittedTimes() {
  return spawnSync('git', ['cat-file', '-e', `HEAD:${NAME}`], { cwd: root }).status === 0;
}

/**
 * Writes the times of a run to test-times.json, most processor time first, and removes files that no longer exist.
 * @param {readonly TestTime[]} measured
 * @param {Cases} cases
 */
function recordTestTimes(measured, cases) {
  const recorded = readTestTimes();
  const times = { ...recorded[cases] };
  for (const { path, processorSeconds, wallSeconds } of measured) {
    const name = relative(root, path);
    const before = times[name];
    if (before === undefined || differs(before[0], processorSeconds) || differs(before[1], wallSeconds))
      times[name] = [rounded(processorSeconds), rounded(wallSeconds)];
  }
  const kept = Object.entries(times).filter(([name]) => existsSync(join(root, name)));
  kept.sort(([a, [left]], [b, [right]]) => right - left || (a < b ? -1 : 1));
  /** @param {TestTimes[Cases]} one */
  const lines = (one) =>
    Object.entries(one).map(([name, pair]) => `    ${JSON.stringify(name)}: [${pair.join(', ')}]`);
  const all = { ...recorded, [cases]: Object.fromEntries(kept) };
  const sections = Object.entries(all).map(
    ([name, one]) =>
      `  "${name}": {${lines(one)
        .map((line) => `\n${line}`)
        .join(',')}\n  }`,
  );
  writeFileSync(FILE, `{\n${sections.join(',\n')}\n}\n`);
}

/**
 * @param {number} before
 * @param {number} now
 */
function differs(before, now) {
  return Math.abs(before - now) > SECONDS && Math.max(before, now) > FACTOR * Math.min(before, now);
}

/** @param {number} seconds */
function rounded(seconds) {
  return Math.round(seconds * 10) / 10;
}

module.exports = { committedTestTimes, hasCommittedTimes, readTestTimes, recordTestTimes };

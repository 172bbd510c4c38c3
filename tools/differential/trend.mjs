import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** @import { Summary } from './write-report.mjs' */

/**
 * @typedef {Pick<Summary, 'commit' | 'seed' | 'cases' | 'outcomes' | 'runs' | 'seconds'> & { readonly causes: number,
 *   readonly at: string }} Entry What a run found.
 */

/**
 * Returns what earlier runs found, in order.
 * @param {string} file with an entry a line
 * @returns {readonly Entry[]}
 */
export function readTrend(file) {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/**
 * Adds a run, in place of an earlier one of the same commit and seed, and returns all.
 * @param {string} file
 * @param {readonly Entry[]} earlier
 * @param {Summary} summary
 * @returns {readonly Entry[]}
 */
export function writeTrend(file, earlier, { commit, seed, cases, outcomes, runs, seconds, causes }) {
  const rest = earlier.filter((entry) => entry.commit !== commit || entry.seed !== seed);
  const at = new Date().toISOString();
  const all = [...rest, { at, commit, seed, cases, outcomes, runs, seconds, causes: causes.length }];
  writeFileSync(file, all.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  return all;
}

import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/**
 * How often each line of a file ran.
 * @typedef {{ readonly path: string, readonly s: Readonly<Record<string, number>> }} CoveredFile
 * @typedef {Readonly<Record<string, CoveredFile>>} Coverage
 */
/** @typedef {{ readonly name: string, readonly lines: number, readonly run: number }} Row */

const PERCENT = 100;

/**
 * The options with which jest counts lines, in sources that no test loads too. V8 counts for the whole process, so that each
 * worker takes about twice its processor time (15 files without servers: 15.5 s without, 28 s with it); therefore nothing is
 * counted unless it is asked for.
 * @param {string} directory where jest writes the counts
 */
export function coverageOptions(directory) {
  return [
    '--coverage',
    '--coverageProvider=v8',
    '--coverageReporters=json',
    `--coverageDirectory=${directory}`,
    '--collectCoverageFrom={apps,libs}/*/src/**/*.ts',
    '--collectCoverageFrom=!**/*.{test,contract,fixture,generated}.ts',
    '--collectCoverageFrom=!**/testing/**',
  ];
}

/**
 * Reads what jest has counted; nothing when it has not finished.
 * @param {string} directory
 * @returns {Coverage}
 */
export function readCoverage(directory) {
  const file = join(directory, 'coverage-final.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/**
 * Returns the lines of text of a table: a row for each project, and one for all of them.
 * @param {readonly Coverage[]} parts the counts of several runs of jest
 */
export function coverageTable(parts) {
  const rows = coverageByProject(parts);
  const total = {
    name: 'all projects',
    lines: rows.reduce((sum, { lines }) => sum + lines, 0),
    run: rows.reduce((sum, { run }) => sum + run, 0),
  };
  return ['Lines that ran in the processes of tests, without those of programs that tests start:'].concat(
    [...rows, total].map(
      ({ name, lines, run }) =>
        `${((run / Math.max(1, lines)) * PERCENT).toFixed(1).padStart(7)} % of ${String(lines).padStart(6)}  ${name}`,
    ),
  );
}

/**
 * @param {readonly Coverage[]} parts
 * @returns {readonly Row[]}
 */
function coverageByProject(parts) {
  /** @type {Map<string, Set<string>>} */
  const run = new Map();
  /** @type {Map<string, Set<string>>} */
  const lines = new Map();
  for (const { path, s } of parts.flatMap((part) => Object.values(part))) {
    const project = relative(workspaceRoot, path).split('/').slice(0, 2).join('/');
    for (const [line, count] of Object.entries(s)) {
      add(lines, project, `${path}:${line}`);
      if (count > 0) add(run, project, `${path}:${line}`);
    }
  }
  return [...lines]
    .map(([name, all]) => ({ name, lines: all.size, run: run.get(name)?.size ?? 0 }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

/**
 * @param {Map<string, Set<string>>} sets
 * @param {string} name
 * @param {string} value
 */
function add(sets, name, value) {
  const set = sets.get(name) ?? new Set();
  sets.set(name, set.add(value));
}

const { relative, join } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');
const { readTestTimes } = require('./test-times.cjs');

const root = join(__dirname, '..', '..');
/** Of a test file that has not run yet. */
const UNKNOWN_SECONDS = 5;

/** Starts the longest test files first, so that none of them runs alone at the end. */
module.exports = class LongestFirst extends Sequencer {
  /**
   * @override
   * @param {Parameters<Sequencer['sort']>[0]} tests
   */
  sort(tests) {
    const { quick, full } = readTestTimes();
    const times =
      process.env.MILLRACE_QUICK_TESTS === undefined ? { ...quick, ...full } : { ...full, ...quick };
    /** @param {{ readonly path: string }} test */
    const seconds = ({ path }) => times[relative(root, path)]?.[1] ?? UNKNOWN_SECONDS;
    return [...tests].sort(
      (left, right) => seconds(right) - seconds(left) || (left.path < right.path ? -1 : 1),
    );
  }
};

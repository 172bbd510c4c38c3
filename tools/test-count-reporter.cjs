// Writes how many tests of one project passed and failed, for the last line of `npm test`.
const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

/**
 * @typedef {object} Results What jest reports of all suites of a project.
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numRuntimeErrorTestSuites
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 */

module.exports = class TestCountReporter {
  /**
   * @param {unknown} _contexts
   * @param {Results} results
   */
  onRunComplete(_contexts, results) {
    const directory = process.env.MILLRACE_TEST_COUNTS;
    if (!directory) return;
    mkdirSync(directory, { recursive: true });
    const counts = {
      passed: results.numPassedTests,
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
    };
    writeFileSync(join(directory, `${process.pid}-${Date.now()}.json`), JSON.stringify(counts));
  }
};

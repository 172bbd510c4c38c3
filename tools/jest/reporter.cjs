const { DefaultReporter, SummaryReporter } = require('@jest/reporters');

/** @typedef {ConstructorParameters<typeof SummaryReporter>[0]} GlobalConfig */

/** Jest's own reports without their last line, which repeats the path of every test file. */
module.exports = class Reporter {
  #tests;
  #summary;

  /** @param {GlobalConfig} config */
  constructor(config) {
    this.#tests = new DefaultReporter(config);
    this.#summary = new SummaryReporter({ ...config, silent: true });
  }

  /** @param {Parameters<SummaryReporter['onRunStart']>} run */
  onRunStart(...run) {
    this.#tests.onRunStart(...run);
    this.#summary.onRunStart(...run);
  }

  /** @param {Parameters<DefaultReporter['onTestStart']>} test */
  onTestStart(...test) {
    this.#tests.onTestStart(...test);
  }

  /** @param {Parameters<DefaultReporter['onTestResult']>} result */
  onTestResult(...result) {
    this.#tests.onTestResult(...result);
  }

  /** @param {Parameters<SummaryReporter['onRunComplete']>} run */
  onRunComplete(...run) {
    this.#tests.onRunComplete();
    this.#summary.onRunComplete(...run);
    // To `npm test`, which adds up the counts.
    process.send?.({ ...run[1], testResults: [] });
  }
};

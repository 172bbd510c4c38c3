const { DefaultReporter, SummaryReporter } = require('@jest/reporters');

/** @typedef {ConstructorParameters<typeof SummaryReporter>[0]} GlobalConfig */

/** Jest's own reports without their last line, which repeats the path of every test file. */
module.exports = class Reporter {
  #tests;
  #summary;
  /** @type {{ readonly path: string, readonly processorSeconds: number, readonly wallSeconds: number }[]} */
  #times = [];

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
    const [{ path }, measured] = result;
    this.#times.push({ path, ...timesOf(measured) });
  }

  /** @param {Parameters<SummaryReporter['onRunComplete']>} run */
  onRunComplete(...run) {
    this.#tests.onRunComplete();
    this.#summary.onRunComplete(...run);
    // To `npm test`, which adds up the counts.
    process.send?.({ results: { ...run[1], testResults: [] }, times: this.#times });
  }
};

/** @param {Parameters<DefaultReporter['onTestResult']>[1] & { readonly processorMilliseconds?: number }} result */
function timesOf({ perfStats, processorMilliseconds = 0 }) {
  return { processorSeconds: processorMilliseconds / 1000, wallSeconds: perfStats.runtime / 1000 };
}

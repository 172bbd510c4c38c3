const { DefaultReporter, SummaryReporter } = require('@jest/reporters');

/** @typedef {ConstructorParameters<typeof SummaryReporter>[0]} GlobalConfig */

/** Jest's own reports without their last line, which repeats the path of every test file. */
module.exports = class Reporter extends DefaultReporter {
  #summary;

  /** @param {GlobalConfig} config */
  constructor(config) {
    super(config);
    this.#summary = new SummaryReporter({ ...config, silent: true });
  }

  /**
   * @override
   * @param {Parameters<SummaryReporter['onRunStart']>} run
   */
  onRunStart(...run) {
    super.onRunStart(...run);
    this.#summary.onRunStart(...run);
  }

  /**
   * @override
   * @param {Parameters<SummaryReporter['onRunComplete']>} run
   */
  onRunComplete(...run) {
    super.onRunComplete();
    this.#summary.onRunComplete(...run);
  }
};

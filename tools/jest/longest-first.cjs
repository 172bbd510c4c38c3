const { default: Sequencer } = require('@jest/test-sequencer');

/** The suites that take longest, by a part of their path. Jest knows durations only from earlier runs. */
const LONGEST = [
  '/simulation/',
  '/any-request.',
  '/system/',
  '/power-cuts/',
  '.services.test.',
  '.python.test.',
  '/data-directory.',
  '/tenants.',
];

/** Starts the longest suites first, so that none of them runs alone at the end. */
module.exports = class LongestFirst extends Sequencer {
  /**
   * @override
   * @param {Parameters<Sequencer['sort']>[0]} tests
   */
  sort(tests) {
    /** @param {{ readonly path: string }} test */
    const rank = ({ path }) => {
      const index = LONGEST.findIndex((part) => path.includes(part));
      return index < 0 ? LONGEST.length : index;
    };
    const sorted = /** @type {typeof tests} */ (super.sort(tests));
    return sorted.sort((left, right) => rank(left) - rank(right));
  }
};

// `npm run compare-components`: runs components natively and as the classes of lfx in the Python worker, with the same
// inputs, and prints where the results differ.
import './workspace/require-node-version.mjs';
import './workspace/print-uncaught-errors.mjs';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { installIfNeeded } from './workspace/install-if-needed.mjs';

/** Of each value of a difference. */
const MAXIMUM_CHARACTERS = 400;

const { values: flags } = readCommandLine({
  usage: `npm run compare-components -- [options]
  --python <file>   an interpreter with lfx; default TEST_PYTHON
  --type <type>     the cases of one type
  --all             prints equal cases and named differences, too
  --help`,
  options: {
    python: { type: 'string', default: process.env.TEST_PYTHON ?? '' },
    type: { type: 'string' },
    all: { type: 'boolean' },
  },
});
installIfNeeded(console.error);
const { loadWorkspaceCode } = await import('./build/load-workspace-code.mjs');
/** @type {typeof import('../libs/python/src/testing/stock/compare-all.ts') & typeof import('../libs/python/src/testing/stock/cases/all-cases.ts') & typeof import('../libs/python/src/testing/test-pool.fixture.ts') & typeof import('@millrace/python-text')} */
const code = await loadWorkspaceCode(
  `export { allCases } from './testing/stock/cases/all-cases';
  export { compareAll } from './testing/stock/compare-all';
  export { jsonDumpsCompactAscii } from '@millrace/python-text';
  export { openTestPool } from './testing/test-pool.fixture';`,
  'libs/python/src',
);
await main();

async function main() {
  const cases = code.allCases.filter(({ type }) => flags.type === undefined || type === flags.type);
  const pool = await code.openTestPool(flags.python);
  try {
    const compared = await code.compareAll(pool, flags.python, cases);
    const counts = { equal: 0, different: 0, named: 0, 'not runnable': 0 };
    for (const { tried, comparison } of compared) {
      counts[comparison.state] += 1;
      if ((comparison.state === 'equal' || comparison.state === 'named') && !flags.all) continue;
      console.log(`${comparison.state}  ${tried.type}: ${tried.name}`);
      if (comparison.state === 'not runnable') console.log(`  ${comparison.reason}`);
      if ('difference' in comparison) {
        const { at, native, python } = comparison.difference;
        console.log(`  at ${at}\n    native ${shortened(native)}\n    python ${shortened(python)}`);
      }
    }
    console.log(
      Object.entries(counts)
        .map(([state, count]) => `${count} ${state}`)
        .join(', '),
    );
  } finally {
    await pool.close();
  }
}

/** @param {import('@millrace/python-text').PythonValue} value */
function shortened(value) {
  return code.jsonDumpsCompactAscii(value).slice(0, MAXIMUM_CHARACTERS);
}

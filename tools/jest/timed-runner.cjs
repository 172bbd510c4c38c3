// Jest's runner, which also measures the processor time of a test file.
const { readFileSync } = require('node:fs');

/**
 * The package has no types of it.
 * @type {{ readonly default: (...given: readonly unknown[]) => Promise<object> }}
 */
const { default: run } = require(require.resolve('jest-circus/runner'));

/** Of Linux on every processor that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Returns the processor time of this process and of its children that have ended, in milliseconds. */
function processorMilliseconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + childrenMilliseconds();
}

/** Zero where the system is not Linux. */
function childrenMilliseconds() {
  try {
    // The name of the program, which ends with the last parenthesis, can have spaces.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    // `cutime` and `cstime`, fields 16 and 17 of proc(5).
    return ((Number(fields[13]) + Number(fields[14])) * 1000) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** @param {readonly unknown[]} given what jest passes to a runner */
module.exports = async (...given) => {
  const before = processorMilliseconds();
  const result = await run(...given);
  return { ...result, processorMilliseconds: processorMilliseconds() - before };
};

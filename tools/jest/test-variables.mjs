/** What the tests themselves read. */
const KNOBS =
  /^(?:TEST_\w+|MILLRACE_(?:UPDATE_DOCS|TEST_LOGS|READS|FIGURES|CHAOS_WEBHOOKS|POWER_CUTS|POWER_CUT_SEED|SIMULATION_SEEDS))$/;
const OF_THE_USER = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'CI', 'NO_COLOR', 'FORCE_COLOR'];

/**
 * Returns the variables that tests get of an environment. Settings of Millrace, of Python and of other programs change what
 * tests see from one machine to the next.
 * @param {NodeJS.ProcessEnv} environment
 * @returns {NodeJS.ProcessEnv}
 */
export function testVariables(environment) {
  const kept = Object.entries(environment).filter(([name]) => OF_THE_USER.includes(name) || KNOBS.test(name));
  return { ...Object.fromEntries(kept), LANG: 'C.UTF-8', TZ: 'UTC' };
}

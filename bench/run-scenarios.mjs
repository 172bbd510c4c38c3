import { environment } from './environment.mjs';
import { printResult } from './print-result.mjs';
import { medianRound } from './rounds.mjs';
import { BenchEnvironment } from './bench-environment.mjs';

/** @import { Results } from './report/write-report.mjs' */
/** @import { Figures, MeasuredScenario, Scenario } from './scenario.ts' */

/** The time until V8 has compiled the hot code; before that a run costs several times as much. */
const WARM_UP_SECONDS = 8;

/**
 * Runs scenarios one after the other and resolves to { environment, seconds, rounds, scenarios }; passes the results so
 * far to `keep` after each. A scenario that throws has a `failure` in place of figures, and the others still run.
 * @param {object} options
 * @param {readonly Scenario[]} options.scenarios
 * @param {number} options.seconds
 * @param {number} options.rounds
 * @param {readonly string[] | undefined} options.services
 * @param {string | undefined} options.peers
 * @param {AbortSignal} options.signal
 * @param {(soFar: Results) => void} options.keep
 */
export async function runScenarios({ scenarios, seconds, rounds, services, peers, signal, keep }) {
  const benchEnvironment = new BenchEnvironment({ services, seconds, peers });
  /** @type {Results} */
  const results = { environment: environment(), seconds, rounds, scenarios: [] };
  try {
    for (const scenario of scenarios) {
      if (signal.aborted) break;
      console.log(`\n${scenario.id}  ${scenario.title}`);
      const result = await runScenario(scenario, { benchEnvironment, seconds, rounds, signal }).catch(
        (error) => ({ errors: 1, failure: error.message }),
      );
      const described = { ...describe(scenario), ...result };
      results.scenarios.push(described);
      results.environment.servers = benchEnvironment.servers;
      printResult(described);
      keep(results);
    }
  } finally {
    await benchEnvironment.close();
  }
  return results;
}

/** @param {Scenario} scenario */
function describe({ id, title, limit, goal, of }) {
  return { id, title, limit, goal, of };
}

/**
 * Warms up all sides, then measures them alternately, so that other load on the machine affects all of them.
 * @param {Scenario} scenario
 * @param {{ benchEnvironment: BenchEnvironment, seconds: number, rounds: number, signal: AbortSignal }} options
 * @returns {Promise<Omit<MeasuredScenario, keyof ReturnType<typeof describe>>>}
 */
async function runScenario(scenario, { benchEnvironment, seconds, rounds, signal }) {
  try {
    const sides = await scenario.open(benchEnvironment);
    const warmUpSeconds = scenario.warmUpSeconds ?? WARM_UP_SECONDS;
    if (scenario.isWarmedUp !== false)
      for (const [name, measure] of Object.entries(sides))
        requireNoErrors(name, await (measure.warmUp ?? measure)(warmUpSeconds));
    /** @type {Record<string, Figures[]>} */
    const measured = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
    for (let round = 0; round < (scenario.rounds ?? rounds); round += 1)
      for (const [name, measure] of Object.entries(sides)) {
        signal.throwIfAborted();
        const figures = await measure(seconds);
        measured[name].push(figures);
        console.log(`    ${name.padEnd(9)} ${line(figures)}`);
        if (figures.problems !== undefined) console.log(`    ${name.padEnd(9)} ${figures.problems}`);
      }
    const middle = Object.fromEntries(
      Object.entries(measured).map(([name, list]) => [name, medianRound(list)]),
    );
    const errors = Object.values(middle).reduce((sum, side) => sum + side.errors, 0);
    return { ...scenario.conclude(middle), errors, sides: middle, rounds: measured };
  } finally {
    await benchEnvironment.closeScenario();
  }
}

/**
 * Throws for a side with errors during warm-up, so that it is not measured.
 * @param {string} name
 * @param {Figures} figures
 */
function requireNoErrors(name, { errors, problems = '' }) {
  if (errors > 0) throw new Error(`${name} had ${errors} errors while warming up ${problems}`);
}

/** @param {Figures} figures */
function line(figures) {
  return Object.entries(figures)
    .flatMap(([name, value]) =>
      typeof value === 'number' ? [`${name} ${Number(value.toPrecision(4))}`] : [],
    )
    .join('  ');
}

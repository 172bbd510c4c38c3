import { environment } from './environment.mjs';
import { printResult } from './print-result.mjs';
import { medianRound } from './rounds.mjs';
import { BenchEnvironment } from './bench-environment.mjs';

/** The time until V8 has compiled the hot code; before that a run costs several times as much. */
const WARM_UP_SECONDS = 8;

/**
 * Runs scenarios one after the other and resolves to { environment, seconds, rounds, scenarios }; passes the results so
 * far to `keep` after each. A scenario that throws has a `failure` in place of figures, and the others still run.
 */
export async function runScenarios({ scenarios, seconds, rounds, services, peers, signal, keep }) {
  const benchEnvironment = new BenchEnvironment({ services, seconds, peers });
  const results = { environment: environment(), seconds, rounds, scenarios: [] };
  try {
    for (const scenario of scenarios) {
      if (signal.aborted) break;
      console.log(`\n${scenario.id}  ${scenario.title}`);
      const result = await runScenario(scenario, { benchEnvironment, seconds, rounds, signal }).catch(
        (error) => ({ errors: 1, failure: error.message }),
      );
      results.scenarios.push({ ...describe(scenario), ...result });
      results.environment.servers = benchEnvironment.servers;
      printResult(results.scenarios.at(-1));
      keep(results);
    }
  } finally {
    await benchEnvironment.close();
  }
  return results;
}

function describe({ id, title, limit, goal, of }) {
  return { id, title, limit, goal, of };
}

/** Warms up all sides, then measures them alternately, so that other load on the machine affects all of them. */
async function runScenario(scenario, { benchEnvironment, seconds, rounds, signal }) {
  try {
    const sides = await scenario.open(benchEnvironment);
    const warmUpSeconds = scenario.warmUpSeconds ?? WARM_UP_SECONDS;
    if (scenario.isWarmedUp !== false)
      for (const [name, measure] of Object.entries(sides))
        requireNoErrors(name, await (measure.warmUp ?? measure)(warmUpSeconds));
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

/** Throws for a side with errors during warm-up, so that it is not measured. */
function requireNoErrors(name, { errors, problems = '' }) {
  if (errors > 0) throw new Error(`${name} had ${errors} errors while warming up ${problems}`);
}

function line(figures) {
  return Object.entries(figures)
    .filter(([, value]) => typeof value === 'number')
    .map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`)
    .join('  ');
}

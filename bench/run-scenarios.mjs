import { environment } from './environment.mjs';
import { printResult } from './print-result.mjs';
import { medianRound } from './rounds.mjs';
import { Surroundings } from './surroundings.mjs';

/** Until V8 has compiled what is hot: before that a run costs several times as much. */
const WARM_UP_SECONDS = 8;

/**
 * Runs scenarios one after the other and resolves to { environment, seconds, rounds, scenarios }; `keep` gets that after
 * each. A scenario that breaks down has a `failure` in place of figures, and the others still run.
 */
export async function runScenarios({ scenarios, seconds, rounds, services, peers, signal, keep }) {
  const surroundings = new Surroundings({ services, seconds, peers });
  const results = { environment: environment(), seconds, rounds, scenarios: [] };
  try {
    for (const scenario of scenarios) {
      if (signal.aborted) break;
      console.log(`\n${scenario.id}  ${scenario.title}`);
      const result = await runScenario(scenario, { surroundings, seconds, rounds, signal }).catch(
        (error) => ({ errors: 1, failure: error.message }),
      );
      results.scenarios.push({ ...describe(scenario), ...result });
      results.environment.servers = surroundings.servers;
      printResult(results.scenarios.at(-1));
      keep(results);
    }
  } finally {
    await surroundings.close();
  }
  return results;
}

function describe({ id, title, limit, goal, of }) {
  return { id, title, limit, goal, of };
}

/** Warm-up apart, then the sides in turn, so that whatever else the machine does meets them all. */
async function runScenario(scenario, { surroundings, seconds, rounds, signal }) {
  try {
    const sides = await scenario.open(surroundings);
    const warmUpSeconds = scenario.warmUpSeconds ?? WARM_UP_SECONDS;
    if (scenario.isWarmedUp !== false)
      for (const [name, measure] of Object.entries(sides))
        fatalErrors(name, await (measure.warmUp ?? measure)(warmUpSeconds));
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
    await surroundings.leaveScenario();
  }
}

/** Nothing is measured of a side that fails already while it warms up. */
function fatalErrors(name, { errors, problems = '' }) {
  if (errors > 0) throw new Error(`${name} had ${errors} errors while warming up ${problems}`);
}

function line(figures) {
  return Object.entries(figures)
    .filter(([, value]) => typeof value === 'number')
    .map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`)
    .join('  ');
}

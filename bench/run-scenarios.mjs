import { messageOf } from '../tools/workspace/error-fields.mjs';
import { environment } from './environment.mjs';
import { printResult } from './print-result.mjs';
import { medianRound } from './rounds.mjs';
import { BenchEnvironment } from './bench-environment.mjs';

/** @import { Results } from './report/write-report.mjs' */
/** @import { InstalledPeers } from './peers/all-peers.mjs' */
/** @import { Figures, MeasuredScenario, Product, Scenario, Side } from './scenario.ts' */

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
 * @param {InstalledPeers} [options.peers]
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
    const products = productsOf(sides);
    const measuring = new Measuring(sides, { keepsOtherSides: scenario.keepsOtherSides ?? false, signal });
    const warmUpSeconds = scenario.warmUpSeconds ?? WARM_UP_SECONDS;
    if (scenario.isWarmedUp !== false)
      await measuring.eachSide(async (name, measure) =>
        requireNoErrors(name, 'while warming up', await (measure.warmUp ?? measure)(warmUpSeconds)),
      );
    for (let round = 0; round < (scenario.rounds ?? rounds); round += 1)
      await measuring.eachSide(async (name, measure) => {
        const figures = await measure(seconds);
        console.log(`    ${name.padEnd(9)} ${line(figures)}`);
        if (figures.problems !== undefined) console.log(`    ${name.padEnd(9)} ${figures.problems}`);
        if (scenario.keepsOtherSides) requireNoErrors(name, 'while measuring', figures);
        measuring.add(name, figures);
      });
    const { measured, notMeasured } = measuring;
    const middle = Object.fromEntries(
      Object.entries(measured).map(([name, list]) => [name, medianRound(list)]),
    );
    const errors = Object.values(middle).reduce((sum, side) => sum + side.errors, 0);
    return {
      ...scenario.conclude(middle),
      errors,
      sides: middle,
      rounds: measured,
      ...(products === undefined ? {} : { products }),
      ...(Object.keys(notMeasured).length === 0 ? {} : { notMeasured }),
    };
  } finally {
    await benchEnvironment.closeScenario();
  }
}

/** The sides of a scenario that are measured, and the figures of their rounds. */
class Measuring {
  /**
   * By side, the reason.
   * @type {Record<string, string>}
   */
  notMeasured = {};
  /** @type {Record<string, Figures[]>} */
  #figures = {};
  #sides;
  #keepsOtherSides;
  #signal;

  /**
   * @param {Readonly<Record<string, Side>>} sides
   * @param {{ keepsOtherSides: boolean, signal: AbortSignal }} options
   */
  constructor(sides, { keepsOtherSides, signal }) {
    this.#sides = sides;
    this.#keepsOtherSides = keepsOtherSides;
    this.#signal = signal;
  }

  /**
   * Calls `work` for one side after the other. A side whose work fails is left out from now on where the scenario keeps the
   * others; else this rejects.
   * @param {(name: string, measure: Side) => Promise<void>} work
   */
  async eachSide(work) {
    for (const [name, measure] of Object.entries(this.#sides)) {
      this.#signal.throwIfAborted();
      if (this.notMeasured[name] !== undefined) continue;
      await work(name, measure).catch((error) => {
        if (!this.#keepsOtherSides || this.#signal.aborted) throw error;
        this.notMeasured[name] = messageOf(error);
        console.log(`    ${name.padEnd(9)} is not measured: ${this.notMeasured[name]}`);
      });
    }
  }

  /**
   * @param {string} name
   * @param {Figures} figures
   */
  add(name, figures) {
    (this.#figures[name] ??= []).push(figures);
  }

  /** The figures of each round, by side. */
  get measured() {
    return Object.fromEntries(
      Object.entries(this.#figures).filter(([name]) => this.notMeasured[name] === undefined),
    );
  }
}

/**
 * Returns the products that the sides are; undefined where they are none.
 * @param {Readonly<Record<string, Side>>} sides
 * @returns {Readonly<Record<string, Product>> | undefined}
 */
function productsOf(sides) {
  const products = Object.entries(sides).flatMap(([name, { product }]) =>
    product === undefined ? [] : [/** @type {const} */ ([name, product])],
  );
  return products.length === 0 ? undefined : Object.fromEntries(products);
}

/**
 * Throws for a side with errors, so that it is not measured.
 * @param {string} name
 * @param {string} when
 * @param {Figures} figures
 */
function requireNoErrors(name, when, { errors, problems = '' }) {
  if (errors > 0) throw new Error(`${name} had ${errors} errors ${when} ${problems}`);
}

/** @param {Figures} figures */
function line(figures) {
  return Object.entries(figures)
    .flatMap(([name, value]) =>
      typeof value === 'number' ? [`${name} ${Number(value.toPrecision(4))}`] : [],
    )
    .join('  ');
}

import { costTable } from './cost-table.mjs';
import { saturationTable, sizingTable, unitCosts } from './sizing-tables.mjs';

/** @import { Medians } from '../scenario.ts' */

/** @typedef {{ readonly sides: Readonly<Record<string, Medians>> }} Sides */
/** @typedef {Readonly<Record<string, Sides | undefined>>} Scenarios By id. */

/**
 * The figures of docs/scaling.md, by the name of their place: each returns lines from the scenarios by id.
 * @type {Readonly<Record<string, (scenarios: Scenarios) => string[] | undefined>>}
 */
const figures = {
  executors: ({ B6 }) => B6 && costTable(B6.sides),
  gateways: ({ B16 }) => B16 && costTable(B16.sides),
  payload: ({ B17 }) => B17 && costTable(B17.sides),
  vertices: ({ B18 }) => B18 && costTable(B18.sides),
  accepted: ({ B19 }) => B19 && costTable(B19.sides),
  drained: ({ B19 }) => B19 && costTable(B19.sides, { prefix: 'drained' }),
  tenants: ({ B20 }) => B20 && costTable(B20.sides),
  'sync-saturation': ({ B16 }) => B16 && saturationTable(runCosts(B16)),
  'sync-sizing': ({ B16 }) => B16 && sizingTable(runCosts(B16)),
  'webhook-saturation': ({ B19 }) => B19 && saturationTable(webhookCosts(B19)),
  'webhook-sizing': ({ B19 }) => B19 && sizingTable(webhookCosts(B19)),
};

/**
 * Returns the page with the figures of these scenarios (by id) in their places, between `<!-- figures: name -->` and
 * `<!-- end -->`. Figures of other scenarios do not change. Throws for a place with an unknown name.
 * @param {string} page
 * @param {Scenarios} scenarios
 */
export function fillFigures(page, scenarios) {
  return page.replace(/<!-- figures: ([\w-]+) -->[^]*?<!-- end -->/g, (place, name) => {
    if (figures[name] === undefined) throw new Error(`there are no figures "${name}"`);
    const lines = figures[name](scenarios);
    return lines === undefined ? place : `<!-- figures: ${name} -->\n\n${lines.join('\n')}\n\n<!-- end -->`;
  });
}

/** @param {Sides} scenario */
function runCosts({ sides: { one } }) {
  return unitCosts(one.perSecond, one);
}

/**
 * Returns the cost of accepting and executing a webhook's run, at the rate at which one executor executes.
 * @param {Sides} scenario
 */
function webhookCosts({ sides }) {
  const [side] = Object.values(sides);
  const draining = Object.fromEntries(
    Object.entries(side)
      .filter(([name]) => name.startsWith('drained'))
      .map(([name, value]) => [name[7].toLowerCase() + name.slice(8), value]),
  );
  return unitCosts(draining.perSecond, side, draining);
}

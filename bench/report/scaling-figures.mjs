import { costTable } from './cost-table.mjs';
import { saturationTable, sizingTable, unitCosts } from './sizing-tables.mjs';

/** The figures of docs/scaling.md, by the name that marks their place there: each makes lines of scenarios by id. */
const figures = {
  executors: ({ B6 }) => B6 && costTable(B6.sides),
  gateways: ({ B16 }) => B16 && costTable(B16.sides),
  payload: ({ B17 }) => B17 && costTable(B17.sides),
  vertices: ({ B18 }) => B18 && costTable(B18.sides),
  accepted: ({ B19 }) => B19 && costTable(B19.sides),
  drained: ({ B19 }) => B19 && costTable(B19.sides, { prefix: 'drained' }),
  tenants: ({ B20 }) => B20 && costTable(B20.sides),
  'sync-saturation': ({ B16 }) => B16 && saturationTable(ofRuns(B16)),
  'sync-sizing': ({ B16 }) => B16 && sizingTable(ofRuns(B16)),
  'webhook-saturation': ({ B19 }) => B19 && saturationTable(ofWebhooks(B19)),
  'webhook-sizing': ({ B19 }) => B19 && sizingTable(ofWebhooks(B19)),
};

/**
 * The page with the figures of these scenarios (by id) in their places, between `<!-- figures: name -->` and
 * `<!-- end -->`; figures whose scenario is not among them stay as they are. A place that nothing fills is an error.
 */
export function fillFigures(page, scenarios) {
  return page.replace(/<!-- figures: ([\w-]+) -->[^]*?<!-- end -->/g, (place, name) => {
    if (figures[name] === undefined) throw new Error(`there are no figures "${name}"`);
    const lines = figures[name](scenarios);
    return lines === undefined ? place : `<!-- figures: ${name} -->\n\n${lines.join('\n')}\n\n<!-- end -->`;
  });
}

function ofRuns({ sides: { one } }) {
  return unitCosts(one.perSecond, one);
}

/** Accepting and executing, as fast as one executor executes. */
function ofWebhooks({ sides }) {
  const [side] = Object.values(sides);
  const draining = Object.fromEntries(
    Object.entries(side)
      .filter(([name]) => name.startsWith('drained'))
      .map(([name, value]) => [name[7].toLowerCase() + name.slice(8), value]),
  );
  return unitCosts(draining.perSecond, side, draining);
}

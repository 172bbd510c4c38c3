import { Random } from '../../chaos/random.mjs';
import { generateFlow } from './generate-flow.mjs';
import { generateRequest } from './generate-request.mjs';
import { generateRun } from './generate-run.mjs';

/** @import { Case, Flow } from './case.ts' */
/** @import { Catalog } from './read-catalog.mjs' */
/** @import { Operation } from './read-operations.mjs' */

/** The share of cases that run a flow; the others call any route of a client. */
const RUNS = 0.7;
/** Of the runs: around a local type; with a type that needs a service of others, beside what runs. The rest call such a service. */
const [LOCAL, BESIDE] = [0.78, 0.17];

/**
 * @typedef {object} Material
 * @property {number} seed
 * @property {Catalog} catalog
 * @property {readonly Operation[]} operations
 * @property {string} [type] the only type to generate flows around
 */

/**
 * Returns the case with a number: the same for the same seed, servers' documents and templates.
 * @param {number} id
 * @param {Material} material
 * @returns {Case}
 */
export function generateCase(id, { seed, catalog, operations, type }) {
  const random = new Random(seed).fork(`case ${id}`);
  if (type === undefined && !random.chance(RUNS))
    return {
      id,
      ...generateRequest(random, operations[id % operations.length], operations, echoFlow(catalog)),
    };
  const flow = flowFor(random, catalog, id, type);
  return { id, flow, ...generateRun(random, flow, catalog) };
}

/**
 * @param {Random} random
 * @param {Catalog} catalog
 * @param {number} id
 * @param {string | undefined} type
 * @returns {Flow}
 */
function flowFor(random, catalog, id, type) {
  if (type !== undefined) return generateFlow(random, catalog, type);
  const share = random.next();
  // By turns, so that each type comes as often.
  if (share < LOCAL) return generateFlow(random, catalog, catalog.local[id % catalog.local.length]);
  const others = Object.keys(catalog.templates).filter((name) => !catalog.local.includes(name));
  const other = others[id % others.length];
  if (share >= LOCAL + BESIDE) return generateFlow(random, catalog, other);
  const { nodes, edges } = echoFlow(catalog);
  const position = { x: 0, y: 300 };
  const node = catalog.templates[other];
  return {
    nodes: [
      ...nodes,
      {
        id: `${other}-aside`,
        type: 'genericNode',
        position,
        data: { id: `${other}-aside`, type: other, node },
      },
    ],
    edges,
  };
}

/**
 * Returns the flow from a Chat Input to a Chat Output.
 * @param {Catalog} catalog
 * @returns {Flow}
 */
function echoFlow({ templates }) {
  const only = {
    templates,
    local: ['ChatInput'],
    examples: Object.fromEntries(Object.keys(templates).map((name) => [name, []])),
  };
  // A seed whose flow has no other vertex and no other value.
  const random = new Random(1);
  random.chance = () => false;
  return generateFlow(random, only, 'ChatInput');
}

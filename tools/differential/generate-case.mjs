import { Random } from '../../chaos/random.mjs';
import { generateFlow } from './generate-flow.mjs';
import { generateRequest } from './generate-request.mjs';
import { generateRun } from './generate-run.mjs';
import { generateScript } from './generate-script.mjs';

/** @import { Case, Flow } from './case.ts' */
/** @import { Catalog } from './read-catalog.mjs' */
/** @import { Operation } from './read-operations.mjs' */

/** Of ten cases in a row, those that call any route, and those that follow a script; the others run a flow. */
const [ROUTES, SCRIPTS] = [[2, 7], [4]];
/** Of the runs: around a type that runs here; with another type beside what runs. The rest are around such a type. */
const [LOCAL, BESIDE] = [0.88, 0.09];

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
  const [tens, digit] = [Math.floor(id / 10), id % 10];
  if (type === undefined && ROUTES.includes(digit)) {
    const operation = operations[(tens * ROUTES.length + ROUTES.indexOf(digit)) % operations.length];
    return { id, ...generateRequest(random, operation, operations, echoFlow(catalog)) };
  }
  if (type === undefined && SCRIPTS.includes(digit))
    return { id, ...generateScript(random, tens, { catalog, flow: echoFlow(catalog) }) };
  const runs = [...Array.from({ length: 10 }).keys()].filter(
    (one) => !ROUTES.includes(one) && !SCRIPTS.includes(one),
  );
  const flow = flowFor(random, catalog, tens * runs.length + Math.max(runs.indexOf(digit), 0), type);
  return { id, flow, ...beforeOf(flow), ...generateRun(random, flow, catalog) };
}

/**
 * Returns what a flow needs before it is uploaded: a file where it reads one.
 * @param {Flow} flow
 * @returns {Pick<Case, 'before'>}
 */
function beforeOf(flow) {
  if (!JSON.stringify(flow).includes('{{upload}}')) return {};
  const files = [{ field: 'file', name: 'notes.txt', text: 'some notes\n' }];
  const route = 'POST /api/v2/files/';
  const [method, path] = route.split(' ');
  return { before: [{ route, method, path, files, capture: { upload: 'path' }, isSetup: true }] };
}

/**
 * @param {Random} random
 * @param {Catalog} catalog
 * @param {number} turn
 * @param {string | undefined} type
 * @returns {Flow}
 */
function flowFor(random, catalog, turn, type) {
  if (type !== undefined) return generateFlow(random, catalog, type);
  const share = random.next();
  // By turns, so that each type comes as often.
  if (share < LOCAL) return generateFlow(random, catalog, catalog.local[turn % catalog.local.length]);
  const others = Object.keys(catalog.templates).filter((name) => !catalog.local.includes(name));
  const other = others[turn % others.length];
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

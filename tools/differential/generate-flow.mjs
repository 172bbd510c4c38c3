import { FlowBuilder } from './flow-builder.mjs';

/** @import { Random } from '../../chaos/random.mjs' */
/** @import { Flow, Template } from './case.ts' */
/** @import { Catalog } from './read-catalog.mjs' */

/**
 * Returns a flow around a type: what its inputs need, and a Chat Output behind one of its outputs.
 * @param {Random} random
 * @param {Catalog} catalog
 * @param {string} type
 * @returns {Flow}
 */
export function generateFlow(random, catalog, type) {
  const builder = new FlowBuilder(random, catalog);
  const isTool = isOfferable(catalog.templates[type]) && random.chance(0.15);
  const tools = catalog.local.filter((name) => name !== 'Agent' && isOfferable(catalog.templates[name]));
  // A Tool Calling Agent fails without tools.
  const hasTool = type === 'ToolCallingAgent' || (type === 'Agent' && random.chance(0.5));
  const tool = isTool ? type : hasTool ? random.pick(tools) : null;
  builder.finishFrom(tool === null ? builder.add(type) : builder.addAgent(tool, hasTool ? type : 'Agent'));
  if (random.chance(0.05)) builder.freezeOne();
  return { nodes: builder.nodes, edges: builder.edges };
}

const CHOICES = [['Approve', 'Reject'], ['Yes', 'No way', 'Later'], ['Only']];

/**
 * Returns a flow with a Human Input between its input and an output for each of the choices.
 * @param {Random} random
 * @param {Catalog} catalog
 * @returns {Flow}
 */
export function generateQuestion(random, catalog) {
  const builder = new FlowBuilder(random, catalog);
  builder.addQuestion(random.pick(CHOICES), random.chance(0.5));
  return { nodes: builder.nodes, edges: builder.edges };
}

/** @param {Template} template */
function isOfferable({ template, outputs }) {
  return (
    outputs.length > 0 &&
    Object.values(template).some((field) => /** @type {any} */ (field).tool_mode === true)
  );
}

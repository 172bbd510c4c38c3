import { runIndexes } from './run-indexes.mjs';

/** @import { FlowDocument, Plan } from './table.mjs' */

/**
 * Returns the nodes of a flow that its runs do not reach, with the edges between them, as a flow; null if there are none.
 * @param {FlowDocument} document
 * @param {Plan} plan
 * @returns {FlowDocument | null}
 */
export function unreachedPart(document, plan) {
  const { nodes = [], edges = [] } = document.data ?? document;
  const reached = new Set(runIndexes(plan.scope).map((index) => plan.vertices[index].id));
  const unreached = new Set(plan.vertices.map(({ id }) => id).filter((id) => !reached.has(id)));
  const kept = nodes.filter(({ id }) => unreached.has(id));
  if (kept.length < 2) return null;
  return {
    nodes: kept,
    edges: edges.filter(({ source, target }) => unreached.has(source) && unreached.has(target)),
  };
}

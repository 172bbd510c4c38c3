import { InvalidFlowError } from '../errors';

/** Limits of a flow document. Real documents have up to 71 nodes, one loop, and 16 levels of nesting. */
export const documentBounds = { nodes: 5_000, edges: 20_000, depth: 100, loops: 50 } as const;

/** Rejects a document with more levels of nesting than recursion can follow safely. Not recursive itself. */
export function checkDepth(document: unknown): void {
  let level: unknown[] = [document];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > documentBounds.depth) {
      throw new InvalidFlowError(`The flow is nested more than ${documentBounds.depth} levels deep.`);
    }
    const next: unknown[] = [];
    for (const value of level) {
      for (const child of Object.values(value as object)) {
        if (typeof child === 'object' && child !== null) next.push(child);
      }
    }
    level = next;
  }
}

/** Rejects a document with more nodes or edges than a plan can have. */
export function checkCounts(nodes: number, edges: number): void {
  if (nodes > documentBounds.nodes) {
    throw new InvalidFlowError(`The flow has ${nodes} nodes; at most ${documentBounds.nodes} are allowed.`);
  }
  if (edges > documentBounds.edges) {
    throw new InvalidFlowError(`The flow has ${edges} edges; at most ${documentBounds.edges} are allowed.`);
  }
}

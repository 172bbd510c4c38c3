import dagre from '@dagrejs/dagre';
import type { FlowDocument, FlowNode } from '../api/answers';

export const NODE_WIDTH = 200;
export const NODE_HEIGHT = 62;

/** Cards of an editor are larger than the vertices here. */
const SCALE_X = 0.66;
const SCALE_Y = 0.42;
/** More vertices are always laid out, which takes less than comparing each with each. */
const MAXIMUM_COMPARED = 400;

export interface Place {
  readonly x: number;
  readonly y: number;
}

/** Vertices of a document without its notes. */
export const verticesOf = (document: FlowDocument): readonly FlowNode[] =>
  document.nodes.filter(({ type, data }) => type !== 'noteNode' && data.type !== 'note');

/** The author's positions when each vertex has one and none overlap; a layered layout otherwise. */
export function placesOf(document: FlowDocument): ReadonlyMap<string, Place> {
  const vertices = verticesOf(document);
  const own = new Map<string, Place>();
  for (const { id, position } of vertices)
    if (Number.isFinite(position?.x) && Number.isFinite(position?.y) && position !== undefined)
      own.set(id, { x: position.x * SCALE_X, y: position.y * SCALE_Y });
  if (own.size === vertices.length && vertices.length <= MAXIMUM_COMPARED && !overlap([...own.values()]))
    return own;
  return layered(document, vertices);
}

function overlap(places: readonly Place[]): boolean {
  return places.some((one, index) =>
    places
      .slice(index + 1)
      .some(
        (other) => Math.abs(one.x - other.x) < NODE_WIDTH + 16 && Math.abs(one.y - other.y) < NODE_HEIGHT + 8,
      ),
  );
}

function layered(document: FlowDocument, vertices: readonly FlowNode[]): ReadonlyMap<string, Place> {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 26, ranksep: 64 });
  graph.setDefaultEdgeLabel(() => ({}));
  const ids = new Set(vertices.map(({ id }) => id));
  for (const id of ids) graph.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const { source, target } of document.edges)
    if (ids.has(source) && ids.has(target)) graph.setEdge(source, target);
  dagre.layout(graph);
  return new Map(
    [...ids].map((id) => {
      const { x, y } = graph.node(id);
      return [id, { x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 }];
    }),
  );
}

import dagre from '@dagrejs/dagre';
import type { FlowDocument } from '../api/answers';
import { verticesOf } from './vertices';

export const NODE_WIDTH = 190;
export const NODE_HEIGHT = 60;
const GAP_X = 44;
const GAP_Y = 18;
/** A layer with more vertices is divided into columns beside each other. */
const MAXIMUM_ROWS = 8;

export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  /** The left upper corner of each vertex, from 0. */
  readonly places: ReadonlyMap<string, Place>;
  readonly width: number;
  readonly height: number;
}

/** Places vertices in layers from left to right, with few crossings of edges. */
export function layoutOf(document: FlowDocument): Layout {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: GAP_Y, edgesep: 8, ranksep: GAP_X });
  graph.setDefaultEdgeLabel(() => ({}));
  const ids = new Set(verticesOf(document).map(({ id }) => id));
  for (const id of ids) graph.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const { source, target } of document.edges)
    if (ids.has(source) && ids.has(target)) graph.setEdge(source, target);
  dagre.layout(graph);
  const layers = new Map<number, { id: string; y: number }[]>();
  for (const id of ids) {
    const { x, y } = graph.node(id);
    layers.set(x, [...(layers.get(x) ?? []), { id, y }]);
  }
  const isWide = [...layers.values()].some((layer) => layer.length > MAXIMUM_ROWS);
  const places = isWide
    ? inColumns([...layers].sort(([one], [other]) => one - other).map(([, layer]) => layer))
    : new Map([...layers].flatMap(([x, layer]) => layer.map(({ id, y }): [string, Place] => [id, { x, y }])));
  return fromZero(places);
}

/** Layers from left to right, each in the middle, and divided into columns when it has many vertices. */
function inColumns(
  layers: readonly (readonly { readonly id: string; readonly y: number }[])[],
): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  let x = 0;
  for (const layer of layers) {
    const ordered = [...layer].sort((one, other) => one.y - other.y);
    const columns = Math.ceil(ordered.length / MAXIMUM_ROWS);
    const rows = Math.ceil(ordered.length / columns);
    for (let first = 0; first < ordered.length; first += rows) {
      const column = ordered.slice(first, first + rows);
      for (const [row, { id }] of column.entries())
        places.set(id, { x, y: (row - (column.length - 1) / 2) * (NODE_HEIGHT + GAP_Y) });
      x += NODE_WIDTH + GAP_X;
    }
  }
  return places;
}

function fromZero(places: ReadonlyMap<string, Place>): Layout {
  const all = [...places.values()];
  const left = Math.min(...all.map(({ x }) => x));
  const top = Math.min(...all.map(({ y }) => y));
  return {
    places: new Map([...places].map(([id, { x, y }]) => [id, { x: x - left, y: y - top }])),
    width: Math.max(0, ...all.map(({ x }) => x - left)) + NODE_WIDTH,
    height: Math.max(0, ...all.map(({ y }) => y - top)) + NODE_HEIGHT,
  };
}

import type { Component } from '../component/component';
import type { Plan, PlanEdge, PlanVertex } from './plan';
import { reachableFrom } from './reachable-from';

/** The vertices after the item output of a loop. */
export interface RepeatedPart {
  readonly loop: number;
  /** The edges that can return the result of a round; empty when the author drew none, so that nothing is repeated. */
  readonly feedback: readonly PlanEdge[];
  /** The vertices that run once for each value. */
  readonly body: ReadonlySet<number>;
  /** The body and its followers that do not lead back to the loop. Outside of the body these vertices never run. */
  readonly itemBranch: ReadonlySet<number>;
}

/**
 * Finds the loops among the given vertices and the part that each repeats; includes loops inside the bodies of others.
 */
export function repeatedParts(
  vertices: readonly PlanVertex[],
  included: ReadonlySet<number>,
): readonly RepeatedPart[] {
  return vertices
    .filter((vertex) => included.has(vertex.index) && isLoop(vertex.component))
    .map((loop) => repeatedPart(loop, vertices, included));
}

function repeatedPart(
  loop: PlanVertex,
  vertices: readonly PlanVertex[],
  included: ReadonlySet<number>,
): RepeatedPart {
  const targets = targetsOf(loop, included);
  const follow = (index: number): readonly number[] => targets(vertices[index]?.outgoing ?? []);
  const { items, itemBranch } = itemBranchOf(loop, vertices, included);
  const inside = (indexes: Iterable<number>): number[] =>
    [...indexes].filter((index) => itemBranch.has(index));
  const returning = loop.incoming.filter(
    (edge) => isLooping(loop, edge.targetField) && itemBranch.has(edge.source),
  );
  const last = returning.at(-1);
  if (last === undefined) return { loop: loop.index, feedback: [], body: new Set(), itemBranch };
  // The body ends at the source of the last edge, except for the branches that this vertex takes in place of that edge.
  const alternatives = returning.map(({ source }) => source).filter((source) => source !== last.source);
  const leading = reachableFrom(alternatives, (index) =>
    inside((vertices[index]?.incoming ?? []).map(({ source }) => source)).filter(
      (source) => source !== last.source,
    ),
  );
  const branches = targets(
    (vertices[last.source]?.outgoing ?? []).filter(
      ({ sourceOutput, target }) => sourceOutput !== last.sourceOutput && leading.has(target),
    ),
  );
  const body = reachableFrom(inside(items), (index) =>
    inside(index === last.source ? branches : follow(index)),
  );
  return { loop: loop.index, feedback: returning, body, itemBranch };
}

/** Returns the vertices that follow from the item output of a loop, and from no other; none for any other vertex. */
export function repeatedVertices(
  { vertices }: Pick<Plan, 'vertices'>,
  loop: PlanVertex,
): readonly PlanVertex[] {
  if (!isLoop(loop.component)) return [];
  const { itemBranch } = itemBranchOf(loop, vertices, new Set(vertices.keys()));
  return [...itemBranch].flatMap((index) => vertices[index] ?? []);
}

function itemBranchOf(
  loop: PlanVertex,
  vertices: readonly PlanVertex[],
  included: ReadonlySet<number>,
): { readonly items: readonly number[]; readonly itemBranch: Set<number> } {
  const targets = targetsOf(loop, included);
  const follow = (index: number): readonly number[] => targets(vertices[index]?.outgoing ?? []);
  const [items = [], others = []] = [true, false].map((looping) =>
    targets(loop.outgoing.filter((edge) => isLooping(loop, edge.sourceOutput) === looping)),
  );
  const itemBranch = reachableFrom(items, follow);
  for (const index of reachableFrom(others, follow)) itemBranch.delete(index);
  return { items, itemBranch };
}

function targetsOf(
  loop: PlanVertex,
  included: ReadonlySet<number>,
): (edges: readonly PlanEdge[]) => readonly number[] {
  return (edges) =>
    edges.map((edge) => edge.target).filter((index) => index !== loop.index && included.has(index));
}

/** Returns true for a component with an item output. */
export function isLoop(component: Component | null): boolean {
  return Object.values(component?.outputs ?? {}).some((output) => output.loops === true);
}

function isLooping({ component }: PlanVertex, output: string): boolean {
  const outputs = component?.outputs ?? {};
  return Object.hasOwn(outputs, output) && outputs[output]?.loops === true;
}

import type { Component } from '../component/component';
import type { PlanEdge, PlanVertex } from './plan';
import { reached } from './reached';

/** What hangs on the outputs of a loop whose values come one at a time. */
export interface RepeatedPart {
  readonly loop: number;
  /** The wire that brings back what became of a value; null when the author drew none, and there is nothing to repeat. */
  readonly feedback: PlanEdge | null;
  /** The vertices that run once for each value. */
  readonly body: ReadonlySet<number>;
  /** The body, and what follows from it without leading back: outside the body this never runs. */
  readonly left: ReadonlySet<number>;
}

/** Finds the loops among some vertices, and what each repeats; loops inside the body of another included. */
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
  const targets = (edges: readonly PlanEdge[]): readonly number[] =>
    edges.map((edge) => edge.target).filter((index) => index !== loop.index && included.has(index));
  const follow = (index: number): readonly number[] => targets(vertices[index]?.outgoing ?? []);
  const [items, others] = [true, false].map((looping) =>
    targets(loop.outgoing.filter((edge) => isLooping(loop, edge.sourceOutput) === looping)),
  );
  const left = reached(items ?? [], follow);
  for (const index of reached(others ?? [], follow)) left.delete(index);
  const feedback = loop.incoming.findLast(
    (edge) => isLooping(loop, edge.targetField) && left.has(edge.source),
  );
  const inside = (indexes: readonly number[]): readonly number[] =>
    indexes.filter((index) => left.has(index));
  const body =
    feedback === undefined
      ? new Set<number>()
      : reached(inside(items ?? []), (index) => (index === feedback.source ? [] : inside(follow(index))));
  return { loop: loop.index, feedback: feedback ?? null, body, left };
}

/** True for a component that hands on values one at a time. */
export function isLoop(component: Component | null): boolean {
  return Object.values(component?.outputs ?? {}).some((output) => output.loops === true);
}

function isLooping({ component }: PlanVertex, output: string): boolean {
  const outputs = component?.outputs ?? {};
  return Object.hasOwn(outputs, output) && outputs[output]?.loops === true;
}

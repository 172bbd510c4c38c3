import type { PlanEdge, PlanVertex } from './plan';

/** The dependencies among the vertices of one scope; a loop stands for the vertices that it repeats. */
export class DependencyGraph {
  /** By vertex of the scope: the edges that the vertex waits for. */
  readonly dependencies: ReadonlyMap<number, readonly PlanEdge[]>;
  readonly #outgoing: ReadonlyMap<number, readonly PlanEdge[]>;
  readonly #receivers: readonly number[];

  /**
   * `receivers` has the vertex that waits for the edges to each vertex: the loop that repeats it, or the vertex itself. An edge
   * from the vertex `start` to itself counts only when the vertex can choose between its outputs, and so end the cycle.
   */
  constructor(
    vertices: readonly PlanVertex[],
    included: ReadonlySet<number>,
    receivers: readonly number[],
    start: number | null,
  ) {
    this.#receivers = receivers;
    const ignoresItself = (index: number): boolean =>
      index === start && vertices[index]?.component?.routes !== true;
    const dependencies = new Map([...included].map((index) => [index, [] as PlanEdge[]]));
    const outgoing = new Map<number, readonly PlanEdge[]>();
    for (const index of included) {
      const edges = (vertices[index]?.outgoing ?? []).filter(
        // Edges from a loop into its own body stay inside the loop.
        (edge) =>
          dependencies.has(this.receiver(edge)) &&
          (edge.target === index ? !ignoresItself(index) : this.receiver(edge) !== index),
      );
      outgoing.set(index, edges);
      for (const edge of edges) dependencies.get(this.receiver(edge))?.push(edge);
    }
    this.dependencies = dependencies;
    this.#outgoing = outgoing;
  }

  /** Returns the outgoing edges of a vertex on which other vertices wait. */
  outgoing(index: number): readonly PlanEdge[] {
    return this.#outgoing.get(index) ?? [];
  }

  /** Returns the vertex that waits for an edge. */
  receiver(edge: PlanEdge): number {
    return this.#receivers[edge.target] ?? edge.target;
  }

  /** Yields the vertices that wait for this one and match the filter. */
  *followers(index: number, isIncluded: (index: number) => boolean): Generator<number> {
    for (const edge of this.outgoing(index)) {
      const receiver = this.receiver(edge);
      if (isIncluded(receiver)) yield receiver;
    }
  }

  /** Yields the vertices that this one waits for and that match the filter. */
  *sources(index: number, isIncluded: (index: number) => boolean): Generator<number> {
    for (const { source } of this.dependencies.get(index) ?? []) if (isIncluded(source)) yield source;
  }
}

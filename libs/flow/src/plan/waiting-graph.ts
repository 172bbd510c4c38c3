import type { PlanEdge, PlanVertex } from './plan';

/** Who waits for whom among the vertices of one scope; a loop stands for all it repeats. */
export class WaitingGraph {
  /** By vertex, for those in the scope: the wires that it waits for. */
  readonly waits: ReadonlyMap<number, readonly PlanEdge[]>;
  readonly #receivers: readonly number[];
  readonly #vertices: readonly PlanVertex[];

  constructor(vertices: readonly PlanVertex[], included: ReadonlySet<number>, receivers: readonly number[]) {
    this.#vertices = vertices;
    this.#receivers = receivers;
    const waits = new Map([...included].map((index) => [index, [] as PlanEdge[]]));
    for (const index of included) {
      for (const edge of vertices[index]?.outgoing ?? []) {
        if (!this.#staysInside(edge)) waits.get(this.#receiver(edge))?.push(edge);
      }
    }
    this.waits = waits;
  }

  /** The vertices that wait for this one, once for each wire that `counts`. */
  followers(index: number, counts: (edge: PlanEdge) => boolean): readonly number[] {
    return (this.#vertices[index]?.outgoing ?? [])
      .filter((edge) => !this.#staysInside(edge) && counts(edge))
      .map((edge) => this.#receiver(edge))
      .filter((receiver) => this.waits.has(receiver));
  }

  /** True for what a loop hands to the vertices it repeats. */
  #staysInside(edge: PlanEdge): boolean {
    return edge.target !== edge.source && this.#receiver(edge) === edge.source;
  }

  #receiver(edge: PlanEdge): number {
    return this.#receivers[edge.target] ?? edge.target;
  }
}

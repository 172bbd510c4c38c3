import type { PlanEdge, PlanVertex } from './plan';

/** Who waits for whom among the vertices of one scope; a loop stands for all it repeats. */
export class WaitingGraph {
  /** By vertex, for those in the scope: the wires that it waits for. */
  readonly waits: ReadonlyMap<number, readonly PlanEdge[]>;
  readonly #leaving: ReadonlyMap<number, readonly PlanEdge[]>;
  readonly #receivers: readonly number[];

  constructor(vertices: readonly PlanVertex[], included: ReadonlySet<number>, receivers: readonly number[]) {
    this.#receivers = receivers;
    const waits = new Map([...included].map((index) => [index, [] as PlanEdge[]]));
    const leaving = new Map<number, readonly PlanEdge[]>();
    for (const index of included) {
      const edges = (vertices[index]?.outgoing ?? []).filter(
        // What a loop hands to the vertices it repeats stays inside.
        (edge) => waits.has(this.receiver(edge)) && (edge.target === index || this.receiver(edge) !== index),
      );
      leaving.set(index, edges);
      for (const edge of edges) waits.get(this.receiver(edge))?.push(edge);
    }
    this.waits = waits;
    this.#leaving = leaving;
  }

  /** The wires that others wait for at this vertex's outputs. */
  leaving(index: number): readonly PlanEdge[] {
    return this.#leaving.get(index) ?? [];
  }

  /** The vertex that waits for a wire. */
  receiver(edge: PlanEdge): number {
    return this.#receivers[edge.target] ?? edge.target;
  }

  /** Those that `may` be of the vertices that wait for this one. */
  *followers(index: number, may: (index: number) => boolean): Generator<number> {
    for (const edge of this.leaving(index)) {
      const receiver = this.receiver(edge);
      if (may(receiver)) yield receiver;
    }
  }

  /** Those that `may` be of the vertices that this one waits for. */
  *sources(index: number, may: (index: number) => boolean): Generator<number> {
    for (const { source } of this.waits.get(index) ?? []) if (may(source)) yield source;
  }
}

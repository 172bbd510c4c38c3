import { reachableFrom, stoppedBranch } from '@millrace/flow';
import type { Plan, PlanEdge, PlanVertex, RunScope } from '@millrace/flow';

/** States of a vertex in place of the number of pending edges. */
const SKIPPED = -1;
const FINISHED = -2;
const RUNNING = -3;
const SUSPENDED = -4;

const none: readonly PlanVertex[] = [];

/**
 * Determines when each vertex of a scope can start: when all edges that it waits for are done. A stopped branch is
 * skipped, and its followers continue without it. A value on an edge that leads back begins another round: all
 * followers run again, after every vertex of the previous round has ended.
 */
export class Schedule {
  readonly #plan: Plan;
  readonly #scope: RunScope;
  /** By vertex: the number of pending edges, or one of the states above. */
  readonly #pending: number[];
  /** By vertex: the distance from the start, as far as it is known. */
  readonly #layers: number[];
  readonly #ready: number[] = [];
  #next = 0;
  #unfinished: number;
  readonly #hasCycles: boolean;
  #isSuspended = false;
  /**
   * The remaining members are for cycles only: edges that begin a round, the vertices that stopped a vertex, and the
   * number of executions.
   */
  readonly #rounds: PlanEdge[] = [];
  readonly #stoppedBy = new Map<number, Set<number>>();
  readonly #executions = new Map<number, number>();

  constructor(plan: Plan, scope: RunScope) {
    this.#plan = plan;
    this.#scope = scope;
    this.#pending = [...scope.pending];
    this.#layers = scope.pending.map(() => 0);
    this.#unfinished = scope.vertices.length;
    this.#hasCycles = scope.backEdges.size > 0;
    this.#enqueue(scope.vertices.filter((index) => scope.pending[index] === 0));
  }

  /** True when no vertex is left to run. */
  get isDone(): boolean {
    return this.#unfinished === 0 && this.#rounds.length === 0;
  }

  /** Starts the next vertex; returns undefined when none can start before another ends. */
  start(): PlanVertex | undefined {
    if (this.#next === this.#ready.length && this.#rounds.length > 0) this.#beginRounds();
    const index = this.#ready[this.#next];
    if (index === undefined) return undefined;
    this.#next += 1;
    this.#pending[index] = RUNNING;
    if (this.#hasCycles) this.#executions.set(index, this.execution(index) + 1);
    return this.#plan.vertices[index];
  }

  /** Returns those followers of a vertex that can start now. */
  readyAfter(vertex: PlanVertex): readonly PlanVertex[] {
    const fed = new Set(vertex.outgoing.map(({ target }) => this.#scope.receivers[target] ?? target));
    return this.#ready
      .slice(this.#next)
      .filter((index) => fed.has(index))
      .flatMap((index) => this.#plan.vertices[index] ?? []);
  }

  /**
   * Returns the layer of a vertex that can start: one after that of the last vertex it waited for, or of the vertex
   * that stopped one of its sources. Later rounds of a cycle have later layers.
   */
  layer(index: number): number {
    return this.#layers[index] ?? 0;
  }

  /** Records that a vertex waits for a person: neither it nor those that wait for it run any more. */
  suspend({ index }: PlanVertex): void {
    this.#pending[index] = SUSPENDED;
    this.#isSuspended = true;
  }

  /**
   * Returns whether a matching vertex is running, or can still start, in a layer before this one: `suspended` if it can only
   * after a person has answered.
   */
  runsBefore(layer: number, isOfKind: (index: number) => boolean): 'yes' | 'suspended' | 'no' {
    if (this.#canRunBefore(layer, isOfKind, RUNNING)) return 'yes';
    return this.#isSuspended && this.#canRunBefore(layer, isOfKind, SUSPENDED) ? 'suspended' : 'no';
  }

  #canRunBefore(
    layer: number,
    isOfKind: (index: number) => boolean,
    state: typeof RUNNING | typeof SUSPENDED,
  ): boolean {
    const earliest = new Map<number, number>();
    const found: number[] = [];
    const add = (index: number, candidateLayer: number): void => {
      if (candidateLayer >= layer || (earliest.get(index) ?? layer) <= candidateLayer) return;
      earliest.set(index, candidateLayer);
      found.push(index);
    };
    for (const index of this.#ready.slice(this.#next)) add(index, this.layer(index));
    for (const index of this.#scope.vertices) {
      if (this.#pending[index] === state) add(index, this.layer(index));
    }
    for (const { source, target } of this.#rounds) {
      if (state === RUNNING && this.#isSuspended && this.#waitsForPerson(target)) continue;
      add(this.#scope.receivers[target] ?? target, this.layer(source) + 1);
    }
    for (let index = found.pop(); index !== undefined; index = found.pop()) {
      if (isOfKind(index)) return true;
      const next = (earliest.get(index) ?? 0) + 1;
      for (const edge of this.#plan.vertices[index]?.outgoing ?? []) {
        const target = this.#scope.receivers[edge.target] ?? edge.target;
        if (this.#hasCycles || (this.#pending[target] ?? SKIPPED) > 0) add(target, next);
      }
    }
    return false;
  }

  /** Returns whether a round that begins at this vertex cannot begin until a person has answered. */
  #waitsForPerson(target: number): boolean {
    const region = reachableFrom([target], (index) => this.#followers(index));
    return [...region].some((index) => this.#pending[index] === SUSPENDED);
  }

  /** Returns how often a vertex was started. */
  execution(index: number): number {
    return this.#executions.get(index) ?? 0;
  }

  /**
   * Records that a vertex has run and stopped some of its outputs. Returns the vertices that are skipped because of it.
   */
  finish(vertex: PlanVertex, stoppedOutputs: ReadonlySet<string>): readonly PlanVertex[] {
    this.#pending[vertex.index] = FINISHED;
    this.#unfinished -= 1;
    const stopped = stoppedOutputs.size === 0 ? none : this.#stop(vertex, stoppedOutputs);
    this.#release(vertex);
    if (this.#hasCycles) {
      const leadsBack = (edge: PlanEdge): boolean =>
        this.#scope.backEdges.has(edge) && !stoppedOutputs.has(edge.sourceOutput);
      this.#rounds.push(...vertex.outgoing.filter(leadsBack));
    }
    return stopped;
  }

  /** Returns the vertices that wait for others, in node order. */
  waiting(): readonly PlanVertex[] {
    return this.#plan.vertices.filter(({ index }) => (this.#pending[index] ?? SKIPPED) > 0);
  }

  #stop(vertex: PlanVertex, stoppedOutputs: ReadonlySet<string>): readonly PlanVertex[] {
    const stopped: PlanVertex[] = [];
    for (const index of stoppedBranch(this.#plan, this.#scope, vertex, stoppedOutputs)) {
      const target = this.#plan.vertices[index];
      const pending = this.#pending[index] ?? SKIPPED;
      if (target === undefined || (pending <= 0 && pending !== SKIPPED)) continue;
      if (this.#hasCycles) {
        this.#stoppedBy.set(index, (this.#stoppedBy.get(index) ?? new Set()).add(vertex.index));
      }
      if (pending === SKIPPED) continue;
      this.#pending[index] = SKIPPED;
      this.#unfinished -= 1;
      stopped.push(target);
      this.#layers[index] = this.layer(vertex.index);
    }
    for (const target of stopped) this.#release(target);
    return stopped;
  }

  #release(vertex: PlanVertex): void {
    const ready: number[] = [];
    for (const edge of vertex.outgoing) {
      if (this.#hasCycles && this.#scope.backEdges.has(edge)) continue;
      const target = this.#scope.receivers[edge.target] ?? edge.target;
      const pending = this.#pending[target] ?? SKIPPED;
      if (pending <= 0) continue;
      this.#layers[target] = Math.max(this.layer(target), this.layer(vertex.index) + 1);
      this.#pending[target] = pending - 1;
      if (pending === 1) ready.push(target);
    }
    this.#enqueue(ready);
  }

  /** Enqueues vertices that can start, sorted by id, so that the order of nodes and edges in the file has no effect. */
  #enqueue(indexes: number[]): void {
    const id = (index: number): string => this.#plan.vertices[index]?.id ?? '';
    if (indexes.length > 1) indexes.sort((one, other) => (id(one) < id(other) ? -1 : 1));
    this.#ready.push(...indexes);
  }

  #beginRounds(): void {
    for (const edge of this.#rounds.splice(0)) {
      const target = this.#scope.receivers[edge.target] ?? edge.target;
      // A vertex that is about to run anyway uses this edge's value then.
      if ((this.#pending[target] ?? SKIPPED) >= 0) continue;
      if (this.#beginRound(target))
        this.#layers[target] = Math.max(this.layer(target), this.layer(edge.source) + 1);
      else this.#rounds.push(edge);
    }
  }

  /** Returns false, without changes, while a vertex that would run again is still running. */
  #beginRound(target: number): boolean {
    const region = reachableFrom([target], (index) => this.#followers(index));
    for (const index of region) {
      const pending = this.#pending[index];
      if (pending === 0 || pending === RUNNING || pending === SUSPENDED) return false;
    }
    const staysSkipped = (index: number): boolean =>
      [...(this.#stoppedBy.get(index) ?? [])].some((router) => !region.has(router));
    const rerun = reachableFrom([target], (index) =>
      this.#followers(index).filter((next) => !staysSkipped(next)),
    );
    for (const index of rerun) {
      this.#stoppedBy.delete(index);
      if ((this.#pending[index] ?? SKIPPED) < 0) this.#unfinished += 1;
      this.#pending[index] = 0;
    }
    for (const { index } of this.#plan.vertices) {
      const state = this.#pending[index] ?? SKIPPED;
      if (state === SKIPPED || state === FINISHED) continue;
      for (const next of this.#followers(index)) {
        if (rerun.has(next)) this.#pending[next] = (this.#pending[next] ?? 0) + 1;
      }
    }
    this.#enqueue([...rerun].filter((index) => this.#pending[index] === 0));
    return true;
  }

  /** Returns the vertices of the scope that wait for this one, once for each edge. */
  #followers(index: number): readonly number[] {
    const { backEdges, receivers, pending } = this.#scope;
    return (this.#plan.vertices[index]?.outgoing ?? [])
      .filter((edge) => !backEdges.has(edge))
      .map((edge) => receivers[edge.target] ?? edge.target)
      .filter((next) => next !== index && (pending[next] ?? SKIPPED) >= 0);
  }
}

import { reached, stoppedBranch } from '@millrace/flow';
import type { Plan, PlanEdge, PlanVertex, RunScope } from '@millrace/flow';

/** What stands in place of the number of wires to come. */
const isOut = -1;
const isFinished = -2;
const isRunning = -3;

const none: readonly PlanVertex[] = [];

/**
 * Which vertex of a scope may start when: as soon as all wires it waits for are done. A stopped branch is out, and what
 * it would have fed goes on without it. What comes over a wire that leads back begins another round: all that follows
 * runs again, once nothing of it is left over from the round before.
 */
export class Schedule {
  readonly #plan: Plan;
  readonly #scope: RunScope;
  /** By vertex: wires still to come, or one of the numbers above. */
  readonly #pending: number[];
  /** By vertex: how many steps from the start it is, as far as is known. */
  readonly #layers: number[];
  readonly #ready: number[] = [];
  #next = 0;
  #unfinished: number;
  readonly #hasCycles: boolean;
  /** The rest matters to cycles only: wires that a round has come over, who stopped whom, and how often each ran. */
  readonly #rounds: PlanEdge[] = [];
  readonly #stoppedBy = new Map<number, Set<number>>();
  readonly #executions = new Map<number, number>();

  constructor(plan: Plan, scope: RunScope) {
    this.#plan = plan;
    this.#scope = scope;
    this.#pending = [...scope.pending];
    this.#layers = scope.pending.map(() => 0);
    this.#unfinished = scope.vertices.length;
    this.#hasCycles = scope.backWires.size > 0;
    this.#letStart(scope.vertices.filter((index) => scope.pending[index] === 0));
  }

  /** True when nothing is left to run. */
  get isDone(): boolean {
    return this.#unfinished === 0 && this.#rounds.length === 0;
  }

  /** Takes the next vertex that may start; undefined when none may before another ends. */
  start(): PlanVertex | undefined {
    if (this.#next === this.#ready.length && this.#rounds.length > 0) this.#beginRounds();
    const index = this.#ready[this.#next];
    if (index === undefined) return undefined;
    this.#next += 1;
    this.#pending[index] = isRunning;
    if (this.#hasCycles) this.#executions.set(index, this.execution(index) + 1);
    return this.#plan.vertices[index];
  }

  /** The vertices that may start now, of those a vertex feeds. */
  readyAfter(vertex: PlanVertex): readonly PlanVertex[] {
    const fed = new Set(vertex.outgoing.map(({ target }) => this.#scope.receivers[target] ?? target));
    return this.#ready
      .slice(this.#next)
      .filter((index) => fed.has(index))
      .flatMap((index) => this.#plan.vertices[index] ?? []);
  }

  /**
   * The layer of a vertex that may start: one after that of the last vertex it waited for, or of the one that stopped a
   * branch it would have waited for. Later rounds of a cycle have later layers.
   */
  layer(index: number): number {
    return this.#layers[index] ?? 0;
  }

  /** Whether a vertex of this kind is at work, or may still start, in a layer before this one. */
  mayComeBefore(layer: number, isOfKind: (index: number) => boolean): boolean {
    const earliest = new Map<number, number>();
    const found: number[] = [];
    const add = (index: number, its: number): void => {
      if (its >= layer || (earliest.get(index) ?? layer) <= its) return;
      earliest.set(index, its);
      found.push(index);
    };
    for (const index of this.#ready.slice(this.#next)) add(index, this.layer(index));
    for (const index of this.#scope.vertices) {
      if (this.#pending[index] === isRunning) add(index, this.layer(index));
    }
    for (const { source, target } of this.#rounds) {
      add(this.#scope.receivers[target] ?? target, this.layer(source) + 1);
    }
    for (let index = found.pop(); index !== undefined; index = found.pop()) {
      if (isOfKind(index)) return true;
      const next = (earliest.get(index) ?? 0) + 1;
      for (const edge of this.#plan.vertices[index]?.outgoing ?? []) {
        const target = this.#scope.receivers[edge.target] ?? edge.target;
        if (this.#hasCycles || (this.#pending[target] ?? isOut) > 0) add(target, next);
      }
    }
    return false;
  }

  /** How often a vertex has been started. */
  execution(index: number): number {
    return this.#executions.get(index) ?? 0;
  }

  /** Takes note that a vertex has run and stopped some of its outputs. Gives the vertices that are out for that. */
  finish(vertex: PlanVertex, stoppedOutputs: ReadonlySet<string>): readonly PlanVertex[] {
    this.#pending[vertex.index] = isFinished;
    this.#unfinished -= 1;
    const stopped = stoppedOutputs.size === 0 ? none : this.#stop(vertex, stoppedOutputs);
    this.#release(vertex);
    if (this.#hasCycles) {
      const leadsBack = (edge: PlanEdge): boolean =>
        this.#scope.backWires.has(edge) && !stoppedOutputs.has(edge.sourceOutput);
      this.#rounds.push(...vertex.outgoing.filter(leadsBack));
    }
    return stopped;
  }

  /** The vertices that wait for others, in node order. */
  waiting(): readonly PlanVertex[] {
    return this.#plan.vertices.filter(({ index }) => (this.#pending[index] ?? isOut) > 0);
  }

  #stop(vertex: PlanVertex, stoppedOutputs: ReadonlySet<string>): readonly PlanVertex[] {
    const stopped: PlanVertex[] = [];
    for (const index of stoppedBranch(this.#plan, this.#scope, vertex, stoppedOutputs)) {
      const target = this.#plan.vertices[index];
      const pending = this.#pending[index] ?? isOut;
      if (target === undefined || (pending <= 0 && pending !== isOut)) continue;
      if (this.#hasCycles) {
        this.#stoppedBy.set(index, (this.#stoppedBy.get(index) ?? new Set()).add(vertex.index));
      }
      if (pending === isOut) continue;
      this.#pending[index] = isOut;
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
      if (this.#hasCycles && this.#scope.backWires.has(edge)) continue;
      const target = this.#scope.receivers[edge.target] ?? edge.target;
      const pending = this.#pending[target] ?? isOut;
      if (pending <= 0) continue;
      this.#layers[target] = Math.max(this.layer(target), this.layer(vertex.index) + 1);
      this.#pending[target] = pending - 1;
      if (pending === 1) ready.push(target);
    }
    this.#letStart(ready);
  }

  /** What may start at once does so by its id: how a file orders its nodes and wires makes no difference. */
  #letStart(indexes: number[]): void {
    const id = (index: number): string => this.#plan.vertices[index]?.id ?? '';
    if (indexes.length > 1) indexes.sort((one, other) => (id(one) < id(other) ? -1 : 1));
    this.#ready.push(...indexes);
  }

  #beginRounds(): void {
    for (const wire of this.#rounds.splice(0)) {
      const target = this.#scope.receivers[wire.target] ?? wire.target;
      // What is about to run anyway takes this wire's value then.
      if ((this.#pending[target] ?? isOut) >= 0) continue;
      if (this.#beginRound(target))
        this.#layers[target] = Math.max(this.layer(target), this.layer(wire.source) + 1);
      else this.#rounds.push(wire);
    }
  }

  /** Gives false, and does nothing, while some of what would run again is still at work. */
  #beginRound(target: number): boolean {
    const region = reached([target], (index) => this.#followers(index));
    for (const index of region) {
      if (this.#pending[index] === 0 || this.#pending[index] === isRunning) return false;
    }
    const staysOut = (index: number): boolean =>
      [...(this.#stoppedBy.get(index) ?? [])].some((router) => !region.has(router));
    const again = reached([target], (index) => this.#followers(index).filter((next) => !staysOut(next)));
    for (const index of again) {
      this.#stoppedBy.delete(index);
      if ((this.#pending[index] ?? isOut) < 0) this.#unfinished += 1;
      this.#pending[index] = 0;
    }
    for (const { index } of this.#plan.vertices) {
      const state = this.#pending[index] ?? isOut;
      if (state === isOut || state === isFinished) continue;
      for (const next of this.#followers(index)) {
        if (again.has(next)) this.#pending[next] = (this.#pending[next] ?? 0) + 1;
      }
    }
    this.#letStart([...again].filter((index) => this.#pending[index] === 0));
    return true;
  }

  /** The vertices of the scope that wait for this one, once for each wire. */
  #followers(index: number): readonly number[] {
    const { backWires, receivers, pending } = this.#scope;
    return (this.#plan.vertices[index]?.outgoing ?? [])
      .filter((edge) => !backWires.has(edge))
      .map((edge) => receivers[edge.target] ?? edge.target)
      .filter((next) => next !== index && (pending[next] ?? isOut) >= 0);
  }
}

import type { SimulatedFile, Keep } from './simulated-file';

type Node = SimulatedFile | SimulatedFolder;

interface NameChange {
  readonly removedName: string | undefined;
  readonly name: string | undefined;
  readonly node: Node | undefined;
}

/** The names in a folder on a disk that can lose what was not synced. */
export class SimulatedFolder {
  readonly #durable = new Map<string, Node>();
  readonly #current = new Map<string, Node>();
  #pending: NameChange[] = [];

  add(name: string, node: Node): void {
    this.#change({ removedName: undefined, name, node });
  }

  remove(name: string): void {
    this.#change({ removedName: name, name: undefined, node: undefined });
  }

  rename(from: string, to: string): void {
    this.#change({ removedName: from, name: to, node: this.#current.get(from) });
  }

  get(name: string): Node | undefined {
    return this.#current.get(name);
  }

  /** The persisted names. */
  get names(): ReadonlyMap<string, Node> {
    return this.#durable;
  }

  /** Persists the changes that gave the node its names, and those before them. */
  syncNamesOf(node: Node): void {
    const last = this.#pending.findLastIndex((change) => change.node === node);
    for (const change of this.#pending.splice(0, last + 1)) apply(this.#durable, change);
  }

  /** Applies unsynced changes until `keep` returns false, and drops the others. */
  resolvePending(keep: Keep): void {
    for (const change of this.#pending) {
      if (!keep()) break;
      apply(this.#durable, change);
    }
    this.#pending = [];
  }

  #change(change: NameChange): void {
    this.#pending.push(change);
    apply(this.#current, change);
  }
}

function apply(names: Map<string, Node>, { removedName, name, node }: NameChange): void {
  if (removedName !== undefined) names.delete(removedName);
  if (name !== undefined && node !== undefined) names.set(name, node);
}

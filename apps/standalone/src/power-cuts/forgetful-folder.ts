import type { ForgetfulFile, Keep } from './forgetful-file';

type Node = ForgetfulFile | ForgetfulFolder;

interface Renaming {
  readonly without: string | undefined;
  readonly name: string | undefined;
  readonly node: Node | undefined;
}

/** The names in a folder on a disk that may forget what was not synced. */
export class ForgetfulFolder {
  readonly #durable = new Map<string, Node>();
  readonly #current = new Map<string, Node>();
  #pending: Renaming[] = [];

  add(name: string, node: Node): void {
    this.#change({ without: undefined, name, node });
  }

  remove(name: string): void {
    this.#change({ without: name, name: undefined, node: undefined });
  }

  rename(from: string, to: string): void {
    this.#change({ without: from, name: to, node: this.#current.get(from) });
  }

  get(name: string): Node | undefined {
    return this.#current.get(name);
  }

  /** Those that are on the disk. */
  get names(): ReadonlyMap<string, Node> {
    return this.#durable;
  }

  /** Keeps the changes that gave the node its names, and those before them. */
  syncNamesOf(node: Node): void {
    const last = this.#pending.findLastIndex((change) => change.node === node);
    for (const change of this.#pending.splice(0, last + 1)) apply(this.#durable, change);
  }

  /** Keeps changes until one is not to be kept, and loses the others. */
  forget(keep: Keep): void {
    for (const change of this.#pending) {
      if (!keep()) break;
      apply(this.#durable, change);
    }
    this.#pending = [];
  }

  #change(change: Renaming): void {
    this.#pending.push(change);
    apply(this.#current, change);
  }
}

function apply(names: Map<string, Node>, { without, name, node }: Renaming): void {
  if (without !== undefined) names.delete(without);
  if (name !== undefined && node !== undefined) names.set(name, node);
}

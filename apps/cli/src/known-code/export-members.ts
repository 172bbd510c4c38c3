import type { ExportPlace } from '@millrace/flow';

type Json = Readonly<Record<string, unknown>>;

/** The names of members of exports, by their place. */
export class ExportMembers {
  readonly #names = new Map<ExportPlace, Set<string>>();

  get places(): ReadonlyMap<ExportPlace, ReadonlySet<string>> {
    return this.#names;
  }

  add(place: ExportPlace, names: Iterable<string>): void {
    this.#names.set(place, new Set([...(this.#names.get(place) ?? []), ...names]));
  }

  /** Adds the members of a component, of its fields and of its outputs. */
  addComponent(component: unknown): void {
    const body = objectOf(component);
    this.add('node', Object.keys(body));
    for (const [name, field] of Object.entries(objectOf(body['template'])))
      if (!name.startsWith('_')) this.add('field', Object.keys(objectOf(field)));
    for (const output of Array.isArray(body['outputs']) ? body['outputs'] : [])
      this.add('output', Object.keys(objectOf(output)));
  }
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

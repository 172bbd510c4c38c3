type Json = Readonly<Record<string, unknown>>;

/** Members of a schema whose values are no schemas. */
const VALUES = new Set(['const', 'default', 'enum', 'example', 'examples', 'required', 'title', 'type']);
/** Members of a schema with schemas by name. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);

/** Schemas with a `title`: each becomes a component of the document, to which the places that use it refer. */
export class NamedSchemas {
  readonly #schemas = new Map<string, Json>();

  /** The components, by name. */
  get schemas(): Json {
    return Object.fromEntries([...this.#schemas].sort(([left], [right]) => left.localeCompare(right)));
  }

  /** Returns a part of the document in which each named schema is a reference. Throws when two schemas have one name. */
  inDocument(part: unknown): unknown {
    if (Array.isArray(part)) return part.map((item) => this.inDocument(item));
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(
      Object.entries(part).map(([name, value]) => {
        // Tools count no reference in an extension: the schemas of events stay whole.
        if (name === 'examples' || name === 'x-event-schema') return [name, value];
        return [name, name === 'schema' ? this.#reference(value) : this.inDocument(value)];
      }),
    );
  }

  #reference(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((item) => this.#reference(item));
    if (typeof schema !== 'object' || schema === null) return schema;
    const members = this.#members(schema as Json);
    const { title, type } = schema as Json;
    if (typeof title !== 'string') return members;
    const isNullable = Array.isArray(type) && type.length === 2 && type.includes('null');
    // Generators make a class of a component that has one type.
    const content = isNullable
      ? { ...members, type: type.find((one) => one !== 'null') as unknown }
      : members;
    const known = this.#schemas.get(title);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(content))
      throw new Error(`Two schemas have the title ${title}.`);
    this.#schemas.set(title, content);
    const reference = { $ref: `#/components/schemas/${title}` };
    return isNullable ? { anyOf: [reference, { type: 'null' }] } : reference;
  }

  #members(schema: Json): Json {
    // Some generators refuse a list that says nothing of its items.
    const isList = [schema['type']].flat().includes('array');
    const whole = isList && !('prefixItems' in schema) ? { items: {}, ...schema } : schema;
    return Object.fromEntries(
      Object.entries(whole).map(([name, value]) => {
        if (VALUES.has(name)) return [name, value];
        if (!MAPS.has(name)) return [name, this.#reference(value)];
        const members = Object.entries(value as Json).map(([key, one]) => [key, this.#reference(one)]);
        return [name, Object.fromEntries(members)];
      }),
    );
  }
}

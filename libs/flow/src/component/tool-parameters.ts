import type { Input } from './input';

type Inputs = readonly (readonly [string, Input<unknown>])[];
type Schema = Readonly<Record<string, unknown>>;

/** Kinds whose values only edges can deliver; a model cannot provide them. */
const edgeOnlyKinds: ReadonlySet<string> = new Set(['Handle', 'Model', 'Secret', 'File', 'Code']);
const maximumOptions = 50;

/**
 * Returns the inputs that become arguments of a tool call: those marked `tool`; if there are none, the required ones;
 * else all. Connected inputs are never included.
 */
export function toolInputs(
  inputs: Readonly<Record<string, Input<unknown>>>,
  connected: ReadonlySet<string>,
): Inputs {
  const all = Object.entries(inputs);
  const marked = all.filter(([, input]) => input.tool === true);
  const unconnected = (list: Inputs): Inputs => list.filter(([name]) => !connected.has(name));
  if (marked.length > 0) return unconnected(marked);
  const allowed = all.filter(([, input]) => !edgeOnlyKinds.has(input.kind));
  const required = allowed.filter(([, input]) => input.required === true);
  return unconnected(required.length > 0 ? required : allowed);
}

/** Returns the JSON Schema of a tool's arguments. */
export function toolParameters(inputs: Inputs, descriptions: Readonly<Record<string, string>>): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(
      inputs.map(([name, input]) => [
        name,
        { ...schemaOf(input), description: descriptions[name] ?? describe(name, input) },
      ]),
    ),
    required: inputs.filter(([, input]) => input.required === true).map(([name]) => name),
  };
}

function describe(name: string, { description, displayName }: Input<unknown>): string {
  return description ?? displayName ?? name;
}

function schemaOf(input: Input<unknown>): Schema {
  const schema = schemaOfKind(input);
  return input.list === true && schema['type'] !== 'array' ? { type: 'array', items: schema } : schema;
}

function schemaOfKind({ kind, options = [] }: Input<unknown>): Schema {
  switch (kind) {
    case 'Int':
      return { type: 'integer' };
    case 'Float':
    case 'Slider':
      return { type: 'number' };
    case 'Bool':
      return { type: 'boolean' };
    case 'Dict':
    case 'NestedDict':
    case 'Data':
      return { type: 'object' };
    case 'Table':
    case 'DataFrame':
      return { type: 'array', items: { type: 'object' } };
    default:
      return options.length > 0 && options.length <= maximumOptions
        ? { type: 'string', enum: options }
        : { type: 'string' };
  }
}

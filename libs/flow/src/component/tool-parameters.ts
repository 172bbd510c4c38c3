import type { Input } from './input';

type Inputs = readonly (readonly [string, Input<unknown>])[];
type Schema = Readonly<Record<string, unknown>>;

/** Kinds whose values only edges can deliver; a model cannot provide them. */
const edgeOnlyKinds: ReadonlySet<string> = new Set(['Handle', 'Model', 'Secret', 'File', 'Code']);
const maximumOptions = 50;

/**
 * Returns the inputs that become arguments of a tool call: those marked `tool`; if there are none, the required ones;
 * else all. Connected inputs, and those marked `tool: false`, are never included.
 */
export function toolInputs(
  inputs: Readonly<Record<string, Input<unknown>>>,
  connected: ReadonlySet<string>,
): Inputs {
  const all = Object.entries(inputs);
  const marked = all.filter(([, input]) => input.tool === true);
  const unconnected = (list: Inputs): Inputs => list.filter(([name]) => !connected.has(name));
  if (marked.length > 0) return unconnected(marked);
  const allowed = all.filter(([, input]) => input.tool !== false && !edgeOnlyKinds.has(input.kind));
  const required = allowed.filter(([, input]) => input.required === true);
  return unconnected(required.length > 0 ? required : allowed);
}

/**
 * Returns the JSON Schema of a tool's arguments, with the members and in the order that Langflow sends: an argument that a
 * call may leave out has a default.
 */
export function toolParameters(inputs: Inputs, descriptions: Readonly<Record<string, string>>): Schema {
  const required = inputs.filter(([, input]) => input.required === true).map(([name]) => name);
  return {
    properties: Object.fromEntries(
      inputs.map(([name, input]) => [
        name,
        {
          ...(input.required === true ? {} : { default: defaultOf(input) }),
          description: descriptions[name] ?? describe(name, input),
          ...schemaOf(input),
        },
      ]),
    ),
    ...(required.length > 0 ? { required } : {}),
    type: 'object',
  };
}

/** Returns the default of an argument; of one that has none, the empty text, whatever its type, as in Langflow. */
function defaultOf({ default: value }: Input<unknown>): unknown {
  const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
  return isPlain ? value : '';
}

function describe(name: string, { description, displayName }: Input<unknown>): string {
  return description ?? displayName ?? name;
}

function schemaOf(input: Input<unknown>): Schema {
  const schema = schemaOfKind(input);
  return input.list === true && schema['type'] !== 'array' ? { items: schema, type: 'array' } : schema;
}

function schemaOfKind({ kind, options = [], opensOptions }: Input<unknown>): Schema {
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
      return { items: { type: 'object' }, type: 'array' };
    default:
      return opensOptions !== true && options.length > 0 && options.length <= maximumOptions
        ? { enum: options, type: 'string' }
        : { type: 'string' };
  }
}

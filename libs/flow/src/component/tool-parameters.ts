import type { Input } from './input';

type Inputs = readonly (readonly [string, Input<unknown>])[];
type Schema = Readonly<Record<string, unknown>>;

/** Kinds whose values only wires bring, so that no model can give them. */
const wireOnly: ReadonlySet<string> = new Set(['Handle', 'Model', 'Secret', 'File', 'Code']);
const mostOptions = 50;

/**
 * The inputs that a call of a tool has arguments for: those that are meant for it; without any the required ones, and
 * without these all. Inputs with a wire are never among them.
 */
export function toolInputs(
  inputs: Readonly<Record<string, Input<unknown>>>,
  wired: ReadonlySet<string>,
): Inputs {
  const all = Object.entries(inputs);
  const meant = all.filter(([, input]) => input.tool === true);
  const free = (list: Inputs): Inputs => list.filter(([name]) => !wired.has(name));
  if (meant.length > 0) return free(meant);
  const givable = all.filter(([, input]) => !wireOnly.has(input.kind));
  const required = givable.filter(([, input]) => input.required === true);
  return free(required.length > 0 ? required : givable);
}

/** The JSON Schema of a tool's arguments. */
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
      return options.length > 0 && options.length <= mostOptions
        ? { type: 'string', enum: options }
        : { type: 'string' };
  }
}

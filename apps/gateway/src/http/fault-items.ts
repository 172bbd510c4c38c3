import type { ErrorObject } from 'ajv';
import { dateTimeFault } from './date-time';
import { uuidFault } from './uuid-text';

/** One fault of a request in the shape FastAPI's clients read. */
export interface FaultItem {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

type Location = readonly (string | number)[];

/** Tells AJV's errors in pydantic's words. */
export function faultItems(errors: readonly ErrorObject[], value: unknown, base: Location): FaultItem[] {
  return errors
    .slice(0, 100)
    .flatMap((error) => itemsOf(error, [...base, ...pathOf(error.instancePath, value)]));
}

/** The item for a member that must be there and is not. */
export function missing(loc: Location, input: unknown): FaultItem {
  return { type: 'missing', loc, msg: 'Field required', input };
}

function itemsOf(error: ErrorObject, loc: Location): FaultItem[] {
  const { params, data: input, parentSchema = {} } = error;
  switch (error.keyword) {
    case 'type':
      return parentSchema['x-tweak'] === true ? tweakItems(loc, input) : [typeItem(parentSchema, loc, input)];
    case 'enum':
      return [literalItem(parentSchema, params['allowedValues'] as readonly unknown[], loc, input)];
    case 'required':
      return [missing([...loc, String(params['missingProperty'])], input)];
    case 'additionalProperties': {
      const name = String(params['additionalProperty']);
      const extra = (input as Readonly<Record<string, unknown>>)[name];
      return [
        { type: 'extra_forbidden', loc: [...loc, name], msg: 'Extra inputs are not permitted', input: extra },
      ];
    }
    case 'x-flag':
      return [flagItem(loc, input)];
    case 'x-date-time':
      return [dateTimeFault(input, loc)];
    case 'x-flow-data':
      return [valueError(loc, input, missingFlowPart(input))];
    case 'format':
      return [formatItem(String(params['format']), loc, input)];
    default:
      return [valueError(loc, input, error.message ?? 'Invalid value')];
  }
}

const typeFaults: Readonly<Record<string, { readonly type: string; readonly noun: string }>> = {
  string: { type: 'string_type', noun: 'string' },
  boolean: { type: 'bool_type', noun: 'boolean' },
  integer: { type: 'int_type', noun: 'integer' },
  number: { type: 'float_type', noun: 'number' },
  array: { type: 'list_type', noun: 'list' },
  object: { type: 'dict_type', noun: 'dictionary' },
};

function typeItem(schema: Readonly<Record<string, unknown>>, loc: Location, input: unknown): FaultItem {
  if (schema['x-model'] === true) {
    const msg = 'Input should be a valid dictionary or object to extract fields from';
    return { type: 'model_attributes_type', loc, msg, input };
  }
  const wanted = Array.isArray(schema['type']) ? (schema['type'] as unknown[])[0] : schema['type'];
  return namedTypeItem(String(wanted), loc, input);
}

function namedTypeItem(wanted: string, loc: Location, input: unknown): FaultItem {
  const { type, noun } = typeFaults[wanted] ?? { type: 'value_error', noun: wanted };
  return { type, loc, msg: `Input should be a valid ${noun}`, input };
}

/** The types a tweak may have, as pydantic names the branches of their union. */
const tweakBranches = [
  ['bool', 'boolean'],
  ['int', 'integer'],
  ['float', 'number'],
  ['str', 'string'],
  ['dict[str,any]', 'object'],
] as const;

function tweakItems(loc: Location, input: unknown): FaultItem[] {
  return tweakBranches.map(([branch, wanted]) => namedTypeItem(wanted, [...loc, branch], input));
}

function literalItem(
  schema: Readonly<Record<string, unknown>>,
  allowed: readonly unknown[],
  loc: Location,
  input: unknown,
): FaultItem {
  const quoted = allowed.filter((value) => value !== null).map((value) => `'${String(value)}'`);
  const last = quoted.pop() ?? '';
  const expected = quoted.length > 0 ? `${quoted.join(', ')} or ${last}` : last;
  const type = schema['x-enum'] === true ? 'enum' : 'literal_error';
  return { type, loc, msg: `Input should be ${expected}`, input, ctx: { expected } };
}

function flagItem(loc: Location, input: unknown): FaultItem {
  const readable = typeof input === 'string' || typeof input === 'number';
  return readable
    ? { type: 'bool_parsing', loc, msg: 'Input should be a valid boolean, unable to interpret input', input }
    : { type: 'bool_type', loc, msg: 'Input should be a valid boolean', input };
}

function formatItem(format: string, loc: Location, input: unknown): FaultItem {
  if (format === 'uuid') return uuidFault(String(input), loc) as unknown as FaultItem;
  if (format === 'endpoint-name') {
    return valueError(
      loc,
      input,
      'Endpoint name must contain only letters, numbers, hyphens, and underscores',
    );
  }
  return valueError(
    loc,
    input,
    'Pool name must be lower-case letters, digits, dots, hyphens and underscores',
  );
}

function missingFlowPart(input: unknown): string {
  return typeof input === 'object' && input !== null && 'nodes' in input
    ? 'Flow must have edges'
    : 'Flow must have nodes';
}

function valueError(loc: Location, input: unknown, text: string): FaultItem {
  return { type: 'value_error', loc, msg: `Value error, ${text}`, input, ctx: { error: {} } };
}

/** Segments of a JSON pointer; indexes of lists are numbers. */
function pathOf(pointer: string, root: unknown): (string | number)[] {
  if (pointer === '') return [];
  let value = root;
  return pointer
    .slice(1)
    .split('/')
    .map((escaped) => {
      const segment = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
      const inList = Array.isArray(value);
      value = (value as Readonly<Record<string, unknown>> | undefined)?.[segment];
      return inList ? Number(segment) : segment;
    });
}

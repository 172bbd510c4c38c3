import type { ErrorObject } from 'ajv';
import { boundItem } from './bound-faults';
import { dateTimeFault } from './date-time';
import { pointerSegments } from './declared-order';
import { typeItem, tweakItems } from './type-faults';
import { uuidFault } from './uuid-text';

/** One fault of a request in the shape FastAPI's clients read. */
export interface FaultItem {
  readonly type: string;
  readonly loc: Location;
  readonly msg: string;
  readonly input: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** Where in a request: `["body", "inputs", 0, "type"]`. */
export type Location = readonly (string | number)[];

const MAXIMUM_ITEMS = 100;

/** Tells AJV's errors in pydantic's words. */
export function faultItems(errors: readonly ErrorObject[], value: unknown, base: Location): FaultItem[] {
  return errors
    .slice(0, MAXIMUM_ITEMS)
    .flatMap((error) => itemsOf(error, [...base, ...pathOf(error.instancePath, value)]));
}

/** The item for a member that must be there and is not. */
export function missing(loc: Location, input: unknown): FaultItem {
  return { type: 'missing', loc, msg: 'Field required', input };
}

/** The item for what a validator of Langflow's refuses in words of its own. */
export function valueError(loc: Location, input: unknown, text: string): FaultItem {
  return { type: 'value_error', loc, msg: `Value error, ${text}`, input, ctx: { error: {} } };
}

function itemsOf(error: ErrorObject, loc: Location): readonly FaultItem[] {
  const { params, data: input, parentSchema = {} } = error;
  const toldAs: unknown = parentSchema['x-told-as'];
  if (typeof toldAs === 'string') return [valueError(loc, input, toldAs)];
  switch (error.keyword) {
    case 'type':
      return parentSchema['x-tweak'] === true ? tweakItems(loc, input) : [typeItem(parentSchema, loc, input)];
    case 'enum':
      return [literalItem(parentSchema, params['allowedValues'] as readonly unknown[], loc, input)];
    case 'required':
      return [missing([...loc, String(params['missingProperty'])], input)];
    case 'additionalProperties':
      return [extraItem(loc, input, String(params['additionalProperty']))];
    case 'x-flag':
      return [flagItem(loc, input)];
    case 'x-integer':
      return [integerItem(loc, input)];
    case 'x-date-time':
      return [dateTimeFault(input, loc)];
    case 'x-flow-data':
      return [valueError(loc, input, missingFlowPart(input))];
    case 'format':
      return [formatItem(String(params['format']), loc, input)];
    default:
      return [boundItem(error, loc) ?? valueError(loc, input, error.message ?? 'Invalid value')];
  }
}

function extraItem(loc: Location, input: unknown, name: string): FaultItem {
  const extra = (input as Readonly<Record<string, unknown>>)[name];
  return {
    type: 'extra_forbidden',
    loc: [...loc, name],
    msg: 'Extra inputs are not permitted',
    input: extra,
  };
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
  return typeof input === 'string' || Number.isInteger(input)
    ? { type: 'bool_parsing', loc, msg: 'Input should be a valid boolean, unable to interpret input', input }
    : { type: 'bool_type', loc, msg: 'Input should be a valid boolean', input };
}

function integerItem(loc: Location, input: unknown): FaultItem {
  const msg = 'Input should be a valid integer';
  if (typeof input === 'string')
    return { type: 'int_parsing', loc, msg: `${msg}, unable to parse string as an integer`, input };
  if (typeof input !== 'number') return { type: 'int_type', loc, msg, input };
  if (!Number.isFinite(input))
    return { type: 'finite_number', loc, msg: 'Input should be a finite number', input };
  return { type: 'int_from_float', loc, msg: `${msg}, got a number with a fractional part`, input };
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

/** Segments of a JSON pointer; indexes of lists are numbers. */
function pathOf(pointer: string, root: unknown): Location {
  let value = root;
  return pointerSegments(pointer).map((segment) => {
    const inList = Array.isArray(value);
    value = (value as Readonly<Record<string, unknown>> | undefined)?.[segment];
    return inList ? Number(segment) : segment;
  });
}

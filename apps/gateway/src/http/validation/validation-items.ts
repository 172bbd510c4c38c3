import type { ValidationItem } from './validation-item';
import type { Location } from './validation-item';
import type { ErrorObject } from 'ajv';
import { boundItem } from './bound-items';
import { dateTimeItem } from './date-time';
import { pointerSegments } from './declared-order';
import { typeItem, tweakItems } from './type-items';
import { uuidItem } from './uuid-text';

/** How many errors a refusal lists. */
export const MAXIMUM_ITEMS = 100;

/** Converts AJV's errors to pydantic's. */
export function validationItems(
  errors: readonly ErrorObject[],
  value: unknown,
  base: Location,
): ValidationItem[] {
  return errors
    .slice(0, MAXIMUM_ITEMS)
    .flatMap((error) => itemsOf(error, [...base, ...pathOf(error.instancePath, value)]));
}

/** Returns the item for a required member that is missing. */
export function missing(loc: Location, input: unknown): ValidationItem {
  return { type: 'missing', loc, msg: 'Field required', input };
}

/** Returns the item for a value that the route does not take. */
export function extra(loc: Location, input: unknown): ValidationItem {
  return { type: 'extra_forbidden', loc, msg: 'Extra inputs are not permitted', input };
}

/** Returns the item for an error of one of Langflow's custom validators. */
export function valueError(loc: Location, input: unknown, text: string): ValidationItem {
  return { type: 'value_error', loc, msg: `Value error, ${text}`, input, ctx: { error: {} } };
}

function itemsOf(error: ErrorObject, loc: Location): readonly ValidationItem[] {
  const { params, data: input, parentSchema = {} } = error;
  const customText: unknown = parentSchema['x-error-text'];
  if (typeof customText === 'string') return [valueError(loc, input, customText)];
  if (parentSchema['x-not-null'] === true && input === null)
    return [valueError(loc, input, 'This field cannot be null.')];
  switch (error.keyword) {
    case 'type':
      if (parentSchema['x-tweak'] === true) return tweakItems(loc, input);
      return [
        parentSchema['type'] === 'integer' ? integerItem(loc, input) : typeItem(parentSchema, loc, input),
      ];
    case 'enum':
      return [literalItem(parentSchema, params['allowedValues'] as readonly unknown[], loc, input)];
    case 'required':
      return [missing([...loc, String(params['missingProperty'])], input)];
    case 'additionalProperties':
      return [extraMember(loc, input, String(params['additionalProperty']))];
    case 'x-flag':
      return [flagItem(loc, input)];
    case 'x-integer':
      return [integerItem(loc, input)];
    case 'x-date-time':
      return [dateTimeItem(input, loc)];
    case 'x-flow-data':
      return [valueError(loc, input, missingFlowPart(input))];
    // The error of the branch has its own item.
    case 'if':
      return [];
    case 'format':
      return [formatItem(String(params['format']), loc, input)];
    default:
      return [boundItem(error, loc) ?? valueError(loc, input, error.message ?? 'Invalid value')];
  }
}

function extraMember(loc: Location, input: unknown, name: string): ValidationItem {
  return extra([...loc, name], (input as Readonly<Record<string, unknown>>)[name]);
}

function literalItem(
  schema: Readonly<Record<string, unknown>>,
  allowed: readonly unknown[],
  loc: Location,
  input: unknown,
): ValidationItem {
  const quoted = allowed.filter((value) => value !== null).map((value) => `'${String(value)}'`);
  const last = quoted.pop() ?? '';
  const expected = quoted.length > 0 ? `${quoted.join(', ')} or ${last}` : last;
  const type = schema['x-enum'] === true ? 'enum' : 'literal_error';
  return { type, loc, msg: `Input should be ${expected}`, input, ctx: { expected } };
}

function flagItem(loc: Location, input: unknown): ValidationItem {
  return typeof input === 'string' || Number.isInteger(input)
    ? { type: 'bool_parsing', loc, msg: 'Input should be a valid boolean, unable to interpret input', input }
    : { type: 'bool_type', loc, msg: 'Input should be a valid boolean', input };
}

function integerItem(loc: Location, input: unknown): ValidationItem {
  const msg = 'Input should be a valid integer';
  if (typeof input === 'string')
    return { type: 'int_parsing', loc, msg: `${msg}, unable to parse string as an integer`, input };
  if (typeof input !== 'number') return { type: 'int_type', loc, msg, input };
  if (!Number.isFinite(input))
    return { type: 'finite_number', loc, msg: 'Input should be a finite number', input };
  return { type: 'int_from_float', loc, msg: `${msg}, got a number with a fractional part`, input };
}

function formatItem(format: string, loc: Location, input: unknown): ValidationItem {
  if (format === 'uuid') return uuidItem(String(input), loc) as unknown as ValidationItem;
  if (format === 'project-name') {
    const msg = 'Project names must contain at least one letter or number';
    return { type: 'invalid_project_name', loc, msg, input };
  }
  if (format === 'endpoint-name') {
    return valueError(
      loc,
      input,
      'Endpoint name must contain only letters, numbers, hyphens, and underscores',
    );
  }
  if (format === 'flow-color') {
    const rule = String(input).startsWith('#') ? 'be 7 characters long' : 'start with #';
    return valueError(loc, input, `Icon background color must ${rule}`);
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

/** Returns the segments of a JSON pointer; indexes of lists are numbers. */
function pathOf(pointer: string, root: unknown): Location {
  let value = root;
  return pointerSegments(pointer).map((segment) => {
    const inList = Array.isArray(value);
    value = (value as Readonly<Record<string, unknown>> | undefined)?.[segment];
    return inList ? Number(segment) : segment;
  });
}

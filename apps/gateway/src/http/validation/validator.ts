import Ajv from 'ajv';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { HttpError } from '@millrace/http';
import type { RequestSchema } from './request-schema';
import { inDeclaredOrder } from './declared-order';
import { isFlag } from './flag';
import { parseDateTime } from './date-time';
import { validationItems } from './validation-items';
import type { ValidationItem } from './validation-item';
import { normalizeUuid } from './uuid-text';

export interface ValidationOptions {
  /** Location of the value: `["body"]` unless it is a part of the body. */
  readonly loc?: readonly (string | number)[];
  /** How often each error is listed: Langflow's flow routes list each one twice. */
  readonly repeated?: number;
}

/** Throws `invalid_request` with one item for each error. */
export type Validator = (value: unknown, options?: ValidationOptions) => void;

const allErrorsAjv = createAjv({ allErrors: true });
const firstErrorAjv = createAjv({ allErrors: false });
/**
 * For a body with more members only the first error is reported, since each error costs memory before it is counted.
 */
const MAXIMUM_MEMBERS_FOR_ALL_ERRORS = 2_000;

/**
 * Returns a validator, which is fast for valid values. Compiles the schema when the first value arrives, because compiling
 * all schemas takes a large part of the time of a start.
 */
export function createValidator(schema: RequestSchema): Validator {
  let check: ValidateFunction | null = null;
  let checkAll: ValidateFunction | null = null;
  return (value, { loc = ['body'], repeated = 1 } = {}) => {
    check ??= firstErrorAjv.compile(schema);
    if (check(value)) return;
    let errors: readonly ErrorObject[] = check.errors ?? [];
    if (countMembers(value, MAXIMUM_MEMBERS_FOR_ALL_ERRORS) < MAXIMUM_MEMBERS_FOR_ALL_ERRORS) {
      checkAll ??= allErrorsAjv.compile(schema);
      checkAll(value);
      errors = checkAll.errors ?? errors;
    }
    throw invalidRequest(validationItems(inDeclaredOrder(errors, schema, value), value, loc), repeated);
  };
}

/** Returns the error for an invalid body, path or query, with its items in order. */
export function invalidRequest(items: readonly ValidationItem[], repeated = 1): HttpError {
  return new HttpError('invalid_request', Array.from({ length: repeated }, () => items).flat());
}

function createAjv({ allErrors }: { readonly allErrors: boolean }): Ajv {
  const ajv = new Ajv({
    allErrors,
    verbose: true,
    allowUnionTypes: true,
    strict: true,
    strictNumbers: false,
    // A test validates the schemas; compiling the schema of schemas takes longer than all of them.
    validateSchema: false,
  });
  ajv.addVocabulary(['x-model', 'x-class', 'x-tweak', 'x-enum', 'x-not-null', 'x-error-text', 'x-public']);
  ajv.addKeyword({
    keyword: 'x-flag',
    validate: (kind: unknown, value: unknown) => isFlag(value) || (kind === 'optional' && value === null),
  });
  ajv.addKeyword({
    keyword: 'x-integer',
    validate: (_: unknown, value: unknown) => value === null || isInteger(value),
  });
  ajv.addKeyword({
    keyword: 'x-date-time',
    validate: (_: unknown, value: unknown) => value === null || parseDateTime(value) !== null,
  });
  ajv.addKeyword({ keyword: 'x-flow-data', validate: (_: unknown, value: unknown) => isFlowData(value) });
  ajv.addFormat('uuid', (text) => normalizeUuid(text) !== null);
  ajv.addFormat('endpoint-name', /^[a-zA-Z0-9_-]+$/);
  ajv.addFormat('project-name', /[\p{L}\p{N}]/u);
  ajv.addFormat('flow-color', /^(?:#.{6})?$/su);
  ajv.addFormat('pool-name', /^[a-z0-9][a-z0-9._-]{0,62}$/);
  return ajv;
}

/** Returns whether pydantic accepts a value as an integer. */
function isInteger(value: unknown): boolean {
  if (typeof value === 'string') return /^\s*[+-]?\d{1,4300}(\.0+)?\s*$/.test(value);
  return typeof value === 'boolean' || Number.isInteger(value);
}

/** Returns whether a value is null, an empty object, or an object with nodes and edges. */
function isFlowData(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
  return Object.keys(value).length === 0 || ('nodes' in value && 'edges' in value);
}

function countMembers(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  for (const member of Object.values(value)) {
    count += 1 + countMembers(member, limit);
    if (count >= limit) break;
  }
  return count;
}

type Checks<Results extends readonly unknown[]> = { readonly [Index in keyof Results]: () => Results[Index] };

/**
 * Runs all checks of a request in this order and returns their results. Throws one `invalid_request` with the items of
 * all failed checks, and any other error at once.
 */
export function collectValidationErrors<Results extends readonly unknown[]>(
  ...checks: Checks<Results>
): Results {
  const items: unknown[] = [];
  const results = checks.map((check) => {
    try {
      return check();
    } catch (error) {
      const isRefusal = error instanceof HttpError && error.code === 'invalid_request';
      if (!isRefusal || !Array.isArray(error.detail)) throw error;
      items.push(...(error.detail as readonly unknown[]));
      return undefined;
    }
  });
  if (items.length > 0) throw new HttpError('invalid_request', items);
  return results as unknown as Results;
}

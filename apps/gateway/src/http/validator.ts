import Ajv from 'ajv';
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { RequestSchema } from '@millrace/contracts';
import { inDeclaredOrder } from './declared-order';
import { isFlag } from './flag';
import { parseDateTime } from './date-time';
import { RequestError } from './request-error';
import { faultItems } from './fault-items';
import type { FaultItem } from './fault-items';
import { normalizeUuid } from './uuid-text';

export interface ValidationOptions {
  /** Where the value stands: `["body"]` unless it is a part of the body. */
  readonly loc?: readonly (string | number)[];
  /** How often each fault is told: Langflow's flow routes tell each one twice. */
  readonly repeated?: number;
}

/** Throws `invalid_request` with one item for each fault. */
export type Validator = (value: unknown, options?: ValidationOptions) => void;

const everyFault = createAjv({ allErrors: true });
const firstFault = createAjv({ allErrors: false });
/** Beyond this many members a body is told its first fault only: each fault costs memory before it is counted. */
const MAXIMUM_MEMBERS_FOR_ALL = 2_000;

/** Compiles a schema once; the validator it returns costs next to nothing on a value without faults. */
export function createValidator(schema: RequestSchema): Validator {
  const check = firstFault.compile(schema);
  let explain: ValidateFunction | null = null;
  return (value, { loc = ['body'], repeated = 1 } = {}) => {
    if (check(value)) return;
    let errors: readonly ErrorObject[] = check.errors ?? [];
    if (countMembers(value, MAXIMUM_MEMBERS_FOR_ALL) < MAXIMUM_MEMBERS_FOR_ALL) {
      explain ??= everyFault.compile(schema);
      explain(value);
      errors = explain.errors ?? errors;
    }
    throw invalidRequest(faultItems(inDeclaredOrder(errors, schema, value), value, loc), repeated);
  };
}

/** The refusal of a body, path or query, with its items in order. */
export function invalidRequest(items: readonly FaultItem[], repeated = 1): RequestError {
  return new RequestError('invalid_request', Array.from({ length: repeated }, () => items).flat());
}

function createAjv({ allErrors }: { readonly allErrors: boolean }): Ajv {
  const ajv = new Ajv({
    allErrors,
    verbose: true,
    allowUnionTypes: true,
    strict: true,
    strictNumbers: false,
  });
  ajv.addVocabulary(['x-model', 'x-class', 'x-tweak', 'x-enum', 'x-told-as', 'x-public']);
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
  ajv.addFormat('endpoint-name', /^[a-zA-Z0-9_-]*$/);
  ajv.addFormat('pool-name', /^[a-z0-9][a-z0-9._-]{0,62}$/);
  return ajv;
}

/** What pydantic makes an integer of. */
function isInteger(value: unknown): boolean {
  if (typeof value === 'string') return /^\s*[+-]?\d{1,4300}(\.0+)?\s*$/.test(value);
  return typeof value === 'boolean' || Number.isInteger(value);
}

/** Null, an empty object, or an object with lists of nodes and edges. */
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

import type { RequestSchema } from '../../http/validation/request-schema';

/** Body of `POST /api/v1/variables/`. */
export interface VariableBody {
  readonly name: string;
  readonly value: string;
  readonly type?: string | null;
  readonly default_fields?: readonly string[] | null;
}

/** Rejected with status 400, as by Langflow. */
const NOT_EMPTY = { minLength: 1 };

const members = {
  name: { type: 'string', maxLength: 500, 'x-public': NOT_EMPTY },
  value: { type: 'string', maxLength: 65_536, 'x-public': NOT_EMPTY },
  default_fields: { type: ['array', 'null'], maxItems: 1000, items: { type: 'string' } },
  type: { type: ['string', 'null'], maxLength: 100 },
};

export const variableBodySchema: RequestSchema = {
  title: 'NewVariable',
  type: 'object',
  'x-model': true,
  required: ['name', 'value'],
  properties: members,
};

/** Body of `PATCH /api/v1/variables/{variable_id}`: absent and null members stay unchanged. */
export interface VariableChangesBody {
  readonly name?: string | null;
  readonly value?: string | null;
  readonly type?: string | null;
  readonly default_fields?: readonly string[] | null;
}

export const variableChangesSchema: RequestSchema = {
  title: 'VariableChanges',
  type: 'object',
  'x-model': true,
  properties: {
    id: { type: ['string', 'null'], format: 'uuid' },
    name: { type: ['string', 'null'], maxLength: 500, 'x-public': NOT_EMPTY },
    value: { type: ['string', 'null'], maxLength: 65_536, 'x-public': NOT_EMPTY },
    default_fields: members.default_fields,
    type: members.type,
  },
};

/** Body of `POST /api/v1/variables/compare`. */
export interface VariableDigestsBody {
  /** Chosen by the caller for this request. */
  readonly nonce: string;
  readonly variables: readonly {
    readonly name: string;
    /** HMAC-SHA256 of the value in UTF-8 under the text of the nonce, hexadecimal. */
    readonly digest: string;
  }[];
}

export const variableDigestsSchema: RequestSchema = {
  title: 'VariableDigests',
  type: 'object',
  'x-model': true,
  additionalProperties: false,
  required: ['nonce', 'variables'],
  properties: {
    nonce: { type: 'string', minLength: 32, maxLength: 200 },
    variables: {
      type: 'array',
      maxItems: 1000,
      items: {
        type: 'object',
        'x-model': true,
        additionalProperties: false,
        required: ['name', 'digest'],
        properties: {
          name: { type: 'string', maxLength: 500 },
          digest: { type: 'string', minLength: 64, maxLength: 64 },
        },
      },
    },
  },
};

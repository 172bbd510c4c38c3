import { closedBody, openBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';

/** Rejected with status 400, as by Langflow. */
const NOT_EMPTY = { minLength: 1 } as const;

const members = {
  name: { type: 'string', maxLength: 500, 'x-public': NOT_EMPTY },
  value: { type: 'string', maxLength: 65_536, 'x-public': NOT_EMPTY },
  default_fields: { type: ['array', 'null'], maxItems: 1000, items: { type: 'string' } },
  type: { type: ['string', 'null'], maxLength: 100 },
} as const;

export const variableBodySchema = openBody('NewVariable', members, ['name', 'value']);

/** Body of `POST /api/v1/variables/`. */
export type VariableBody = ValueOf<typeof variableBodySchema>;

export const variableChangesSchema = openBody('VariableChanges', {
  id: { type: ['string', 'null'], format: 'uuid' },
  name: { type: ['string', 'null'], maxLength: 500, 'x-public': NOT_EMPTY },
  value: { type: ['string', 'null'], maxLength: 65_536, 'x-public': NOT_EMPTY },
  default_fields: members.default_fields,
  type: members.type,
});

/** Body of `PATCH /api/v1/variables/{variable_id}`: absent and null members stay unchanged. */
export type VariableChangesBody = ValueOf<typeof variableChangesSchema>;

export const variableDigestsSchema = closedBody(
  'VariableDigests',
  {
    /** Chosen by the caller for this request. */
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
  ['nonce', 'variables'],
);

/** Body of `POST /api/v1/variables/compare`. */
export type VariableDigestsBody = ValueOf<typeof variableDigestsSchema>;

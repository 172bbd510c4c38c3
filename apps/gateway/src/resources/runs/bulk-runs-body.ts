import { runStatuses } from './run-statuses';
import { closedBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';

const textOrNull = { type: ['string', 'null'], maxLength: 2_000 } as const;
const idOrNull = { type: ['string', 'null'], format: 'uuid' } as const;

const runFilterSchema = {
  title: 'RunFilter',
  type: 'object',
  additionalProperties: false,
  properties: {
    flow_id: idOrNull,
    project_id: idOrNull,
    flow_version: { type: ['integer', 'null'], minimum: 1, maximum: 2_147_483_647 },
    status: { type: ['array', 'null'], minItems: 1, maxItems: 8, items: { enum: runStatuses } },
    origin: { enum: ['run', 'webhook', 'advanced', null] },
    pool: textOrNull,
    session_id: textOrNull,
    error_code: textOrNull,
    vertex_id: textOrNull,
    model: textOrNull,
    key_id: idOrNull,
    accepted_from: { 'x-date-time': true },
    accepted_before: { 'x-date-time': true },
    user_id: idOrNull,
    all_users: { type: ['boolean', 'null'] },
  },
} as const;

/** The runs that an action reaches, by the same members as the parameters of `GET /api/v1/runs`. */
export type RunFilterBody = ValueOf<typeof runFilterSchema>;

export const bulkRunsBodySchema = closedBody(
  'BulkRequest',
  {
    action: { enum: ['cancel', 'replay'] },
    filter: runFilterSchema,
    version: { enum: ['same', 'current', null] },
    dry_run: { type: ['boolean', 'null'] },
    token: { type: ['string', 'null'], maxLength: 1_000 },
  },
  ['action', 'filter'],
);

/** Body of `POST /api/v1/runs/bulk`. */
export type BulkRunsBody = ValueOf<typeof bulkRunsBodySchema>;

import { runStatuses } from './run-statuses';
import type { RequestSchema } from '../../http/validation/request-schema';

/** The runs that an action reaches, by the same members as the parameters of `GET /api/v1/runs`. */
export interface RunFilterBody {
  readonly flow_id?: string | null;
  readonly project_id?: string | null;
  readonly flow_version?: number | null;
  readonly status?: readonly (typeof runStatuses)[number][] | null;
  readonly origin?: 'run' | 'webhook' | 'advanced' | null;
  readonly pool?: string | null;
  readonly session_id?: string | null;
  readonly error_code?: string | null;
  readonly vertex_id?: string | null;
  readonly model?: string | null;
  readonly key_id?: string | null;
  readonly accepted_from?: string | number | null;
  readonly accepted_before?: string | number | null;
  readonly user_id?: string | null;
  readonly all_users?: boolean | null;
}

/** Body of `POST /api/v1/runs/bulk`. */
export interface BulkRunsBody {
  readonly action: 'cancel' | 'replay';
  readonly filter: RunFilterBody;
  readonly version?: 'same' | 'current' | null;
  readonly dry_run?: boolean | null;
  readonly token?: string | null;
}

const textOrNull = { type: ['string', 'null'], maxLength: 2_000 };
const idOrNull = { type: ['string', 'null'], format: 'uuid' };

const runFilterSchema: RequestSchema = {
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
};

export const bulkRunsBodySchema: RequestSchema = {
  title: 'BulkRequest',
  type: 'object',
  'x-model': true,
  additionalProperties: false,
  required: ['action', 'filter'],
  properties: {
    action: { enum: ['cancel', 'replay'] },
    filter: runFilterSchema,
    version: { enum: ['same', 'current', null] },
    dry_run: { type: ['boolean', 'null'] },
    token: { type: ['string', 'null'], maxLength: 1_000 },
  },
};

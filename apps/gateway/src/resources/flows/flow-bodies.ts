import { flowSettingsSchema } from '@millrace/flow';
import type { FlowSettings } from '@millrace/flow';
import { mergePatchSchema } from './merge-patch';
import type { RequestSchema } from '../../http/validation/request-schema';

/** The members of a flow that a caller can set; further members of Langflow are stored and returned. */
export interface FlowBody {
  readonly id?: string | null;
  readonly name: string;
  readonly description?: string | null;
  readonly data?: FlowData | null;
  readonly endpoint_name?: string | null;
  readonly is_component?: boolean | null;
  readonly webhook?: boolean | null;
  readonly folder_id?: string | null;
  readonly settings?: FlowSettings | null;
  readonly [attribute: string]: unknown;
}

export interface FlowData {
  readonly nodes: readonly unknown[];
  readonly edges: readonly unknown[];
  readonly [member: string]: unknown;
}

const members = {
  name: { type: 'string', maxLength: 500 },
  description: { type: ['string', 'null'], maxLength: 65_536 },
  icon: { type: ['string', 'null'] },
  icon_bg_color: { type: ['string', 'null'] },
  gradient: { type: ['string', 'null'] },
  data: { type: ['object', 'null'], 'x-flow-data': true },
  is_component: { 'x-flag': 'optional' },
  webhook: { 'x-flag': 'optional' },
  endpoint_name: { type: ['string', 'null'], format: 'endpoint-name', maxLength: 200 },
  tags: { type: ['array', 'null'], items: { type: 'string' }, maxItems: 100 },
  locked: { 'x-flag': 'optional' },
  mcp_enabled: { 'x-flag': 'optional' },
  id: { type: ['string', 'null'], format: 'uuid' },
  folder_id: { type: ['string', 'null'], format: 'uuid' },
  settings: flowSettingsSchema,
};

/** Body of `POST /api/v1/flows/`, and each flow of an upload. */
export const newFlowSchema: RequestSchema = {
  type: 'object',
  'x-model': true,
  required: ['name'],
  properties: members,
};

const { name, description, data, folder_id, endpoint_name, mcp_enabled, locked, ...others } = members;
const settings = {
  ...mergePatchSchema(flowSettingsSchema),
  description: 'Merged into the settings of the flow (RFC 7396): absent members stay, null removes one.',
};

/** Body of `PATCH /api/v1/flows/{flow_id}`: absent members stay unchanged. */
export const flowChangesSchema: RequestSchema = {
  type: 'object',
  'x-model': true,
  // Langflow's body for changes has only the first ones.
  properties: { name, description, data, folder_id, endpoint_name, mcp_enabled, locked, ...others, settings },
};

/** The settings of a flow after a change of them. */
export const changedSettingsSchema: RequestSchema = {
  type: 'object',
  'x-model': true,
  properties: { settings: flowSettingsSchema },
};

/** Body of `POST /api/v1/flows/batch/`. */
export const flowListSchema: RequestSchema = {
  type: 'object',
  'x-model': true,
  required: ['flows'],
  properties: { flows: { type: 'array', maxItems: 1000, items: newFlowSchema } },
};

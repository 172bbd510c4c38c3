import { flowSettingsSchema } from '@millrace/flow';
import type { FlowSettings } from '@millrace/flow';
import { mergePatchSchema } from './merge-patch';
import { openBody } from '../http/validation/body-schema';
import type { RequestSchema } from '../http/validation/request-schema';

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
  icon_bg_color: { type: ['string', 'null'], format: 'flow-color' },
  gradient: { type: ['string', 'null'] },
  data: { type: ['object', 'null'], 'x-flow-data': true },
  is_component: { 'x-flag': 'optional' },
  webhook: { 'x-flag': 'optional' },
  endpoint_name: { type: ['string', 'null'], format: 'endpoint-name', maxLength: 500 },
  tags: { type: ['array', 'null'], items: { type: 'string' }, maxItems: 100 },
  locked: { 'x-flag': 'optional' },
  mcp_enabled: { 'x-flag': 'optional' },
  action_name: { type: ['string', 'null'] },
  action_description: { type: ['string', 'null'] },
  access_type: { enum: ['PRIVATE', 'PUBLIC'], 'x-enum': true },
  flow_type: { enum: ['workflow', 'agent'], 'x-enum': true },
  a2a_enabled: { 'x-flag': 'optional' },
  a2a_card_overrides: { type: ['object', 'null'] },
  id: { type: ['string', 'null'], format: 'uuid' },
  user_id: { type: ['string', 'null'], format: 'uuid' },
  folder_id: { type: ['string', 'null'], format: 'uuid' },
  workspace_id: { type: ['string', 'null'], format: 'uuid' },
  fs_path: { type: ['string', 'null'] },
  settings: flowSettingsSchema,
};

/** The defaults of a new flow. */
const defaults: Readonly<Record<string, { readonly default: unknown }>> = {
  is_component: { default: false },
  webhook: { default: false },
  locked: { default: false },
  mcp_enabled: { default: false },
  access_type: { default: 'PRIVATE' },
  flow_type: { default: 'workflow' },
  a2a_enabled: { default: false },
};

/** Body of `POST /api/v1/flows/`, and each flow of an upload. */
export const newFlowSchema = openBody(
  'NewFlow',
  Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, { ...member, ...defaults[name] }]),
  ),
  ['name'],
);

const { name, description, data, folder_id, workspace_id, endpoint_name, mcp_enabled, locked, ...more } =
  members;
const { action_name, action_description, access_type, flow_type, a2a_enabled, ...others } = more;
const settings = {
  ...mergePatchSchema(flowSettingsSchema),
  description: 'Merged into the settings of the flow (RFC 7396): absent members stay, null removes one.',
};

/** Body of `PATCH /api/v1/flows/{flow_id}`: absent members stay unchanged, and so do those of null but the endpoint's name. */
export const flowChangesSchema = openBody('FlowChanges', {
  name: { ...name, type: ['string', 'null'] },
  description,
  data,
  folder_id,
  workspace_id,
  endpoint_name,
  mcp_enabled,
  locked,
  action_name,
  action_description,
  access_type: { ...access_type, enum: [...access_type.enum, null] },
  flow_type: { ...flow_type, enum: [...flow_type.enum, null] },
  a2a_enabled,
  ...others,
  icon_bg_color: { type: ['string', 'null'] },
  settings,
});

/** The settings of a flow after a change of them. */
export const changedSettingsSchema: RequestSchema = {
  type: 'object',
  'x-model': true,
  properties: { settings: flowSettingsSchema },
};

/** Body of `POST /api/v1/flows/batch/`. */
export const flowListSchema = openBody(
  'NewFlows',
  { flows: { type: 'array', maxItems: 1000, items: newFlowSchema } },
  ['flows'],
);

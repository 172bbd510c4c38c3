import { fillWebhookFields } from '@millrace/components';
import type { FlowRecord } from '@millrace/runs';
import type { LangflowRelease } from '@millrace/service';
import { pythonIsoFormat } from '../http/validation/date-time';
import type { FlowInspection } from './inspect-flow';

/** Langflow's further members of a flow, with their defaults. */
export const attributeDefaults = {
  icon: null,
  icon_bg_color: null,
  gradient: null,
  tags: null,
  locked: false,
  mcp_enabled: false,
  action_name: null,
  action_description: null,
  access_type: 'PRIVATE',
  flow_type: 'workflow',
  a2a_enabled: false,
  a2a_card_overrides: null,
} as const;

export interface FlowViewOptions {
  /** Base URL at which callers reach this gateway, for the webhook address shown in the flow. */
  readonly baseUrl: string;
  readonly webhookKeyRequired: boolean;
  readonly release: LangflowRelease;
}

/** Returns a flow in the shape that clients read, with the addresses of its webhook filled in. */
export function flowView(flow: FlowRecord, options: FlowViewOptions): Record<string, unknown> {
  return {
    id: flow.id,
    name: flow.name,
    description: flow.description,
    endpoint_name: flow.endpointName,
    data: readBackDocument(flow, options),
    is_component: flow.isComponent,
    webhook: flow.webhook,
    ...attributeDefaults,
    ...flow.attributes,
    access_type: flow.attributes['access_type'] ?? attributeDefaults.access_type,
    flow_type: flow.attributes['flow_type'] ?? attributeDefaults.flow_type,
    updated_at: pythonIsoFormat(flow.updatedAt),
    user_id: flow.userId,
    folder_id: flow.folderId,
    workspace_id: null,
    name_key: null,
    ...(options.release === '1.11' ? {} : { version_token: flow.versionToken }),
    version: flow.version,
    settings: flow.settings,
  };
}

/** Returns a flow in the shape of a list of headers, without its document. */
export function flowHeader(flow: FlowRecord): Record<string, unknown> {
  return {
    id: flow.id,
    name: flow.name,
    description: flow.description,
    endpoint_name: flow.endpointName,
    is_component: flow.isComponent,
    folder_id: flow.folderId,
    data: null,
    access_type: flow.attributes['access_type'] ?? attributeDefaults.access_type,
    mcp_enabled: flow.attributes['mcp_enabled'] ?? attributeDefaults.mcp_enabled,
    action_name: flow.attributes['action_name'] ?? null,
    action_description: flow.attributes['action_description'] ?? null,
    tags: flow.attributes['tags'] ?? null,
    flow_type: flow.attributes['flow_type'] ?? attributeDefaults.flow_type,
    a2a_enabled: flow.attributes['a2a_enabled'] ?? attributeDefaults.a2a_enabled,
    a2a_card_overrides: flow.attributes['a2a_card_overrides'] ?? null,
    updated_at: pythonIsoFormat(flow.updatedAt),
  };
}

/**
 * Returns the problems of a flow and how each vertex runs. `runnable` is false when a vertex can make a run fail to
 * start. `verdict` covers the vertices that a run reaches.
 */
export function inspectionView({ problems, report }: FlowInspection): Record<string, unknown> {
  return {
    runnable: problems.every(({ blocks }) => !blocks),
    verdict: report.verdict,
    vertices: report.vertices,
    problems: problems.map(({ code, blocks, vertexId, componentType, message }) => ({
      code,
      blocks,
      vertex_id: vertexId,
      component_type: componentType,
      message,
    })),
  };
}

function readBackDocument(
  { id, endpointName, document, settings }: FlowRecord,
  options: FlowViewOptions,
): unknown {
  if (document === null) return null;
  const requiresApiKey =
    settings.webhookAuth === undefined ? options.webhookKeyRequired : settings.webhookAuth === 'required';
  return fillWebhookFields(document, {
    baseUrl: options.baseUrl,
    flowId: id,
    endpointName,
    requiresApiKey,
  });
}

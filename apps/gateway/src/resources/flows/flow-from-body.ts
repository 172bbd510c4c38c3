import type { FlowBody } from '@millrace/contracts';
import type { FlowChanges, NewFlow } from '@millrace/runs';
import { flagValue } from '../../http/validation/flag';
import { normalizeUuid } from '../../http/validation/uuid-text';
import { attributeDefaults } from './flow-view';

/** Returns the flow that a validated body describes. */
export function newFlowFromBody(body: FlowBody): NewFlow {
  const { document = null, ...changes } = flowChangesFromBody(body);
  const id = body.id ? normalizeUuid(body.id) : null;
  return { ...changes, ...(id === null ? {} : { id }), name: body.name, document };
}

/** Returns the changes that a validated body describes. Absent members stay unchanged. */
export function flowChangesFromBody(
  body: Partial<FlowBody>,
  attributes: Readonly<Record<string, unknown>> = {},
): FlowChanges {
  const changes: { -readonly [Member in keyof FlowChanges]: FlowChanges[Member] } = {};
  if (body.name !== undefined) changes.name = body.name;
  if (body.description !== undefined) changes.description = body.description;
  if (body.endpoint_name !== undefined) changes.endpointName = body.endpoint_name || null;
  if (body.data !== undefined) changes.document = body.data;
  if (body.is_component !== undefined) changes.isComponent = flagValue(body.is_component);
  if (body.webhook !== undefined) changes.webhook = flagValue(body.webhook);
  if (body.folder_id) changes.folderId = normalizeUuid(body.folder_id);
  if (body.settings) changes.settings = body.settings;
  const given = attributesOf(body);
  if (Object.keys(given).length > 0) changes.attributes = { ...attributes, ...given };
  return changes;
}

function attributesOf(body: Partial<FlowBody>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(attributeDefaults)
      .filter(([name]) => body[name] !== undefined)
      .map(([name, absent]) => [name, typeof absent === 'boolean' ? flagValue(body[name]) : body[name]]),
  );
}

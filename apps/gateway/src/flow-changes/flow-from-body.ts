import { changedSettingsSchema } from './flow-bodies';
import { mergePatch } from './merge-patch';
import type { FlowBody } from './flow-bodies';
import type { FlowSettings } from '@millrace/flow';
import type { FlowChanges, NewFlow } from '@millrace/runs';
import { HttpError } from '@millrace/http';
import { flagValue } from '../http/validation/flag';
import { normalizeUuid } from '../http/validation/uuid-text';
import { createValidator } from '../http/validation/validator';
import { attributeDefaults } from './flow-view';
import { withJoinedCode } from './joined-code';

const checkSettings = createValidator(changedSettingsSchema);

/** Returns the flow that a validated body describes. */
export function newFlowFromBody(body: FlowBody): NewFlow {
  const { document = null, ...changes } = membersOf(body);
  const id = body.id ? normalizeUuid(body.id) : null;
  return {
    ...changes,
    ...(id === null ? {} : { id }),
    name: body.name,
    document,
    ...(body.settings ? { settings: body.settings } : {}),
  };
}

/**
 * Returns the changes that a validated body describes. Absent members stay unchanged, and so do those of null, apart from the
 * endpoint's name, as in Langflow. Settings replace the stored ones, or with `mergesSettings` are merged into them; what results
 * is validated when it is known.
 */
export function flowChangesFromBody(
  body: Partial<FlowBody>,
  attributes: Readonly<Record<string, unknown>>,
  { mergesSettings }: { readonly mergesSettings: boolean },
): FlowChanges {
  const changes = membersOf(withoutNulls(body), attributes);
  const { settings } = body;
  if (!settings) return changes;
  if (!mergesSettings) return { ...changes, settings };
  return { ...changes, settings: (stored) => mergedSettings(stored, settings) };
}

function withoutNulls(body: Partial<FlowBody>): Partial<FlowBody> {
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => value !== null || name === 'endpoint_name'),
  );
}

/** Returns stored settings after a merge patch. Throws HttpError when the result is invalid. */
function mergedSettings(stored: FlowSettings, patch: object): FlowSettings {
  const settings = mergePatch(stored, patch) as FlowSettings;
  checkSettings({ settings });
  return settings;
}

function membersOf(
  body: Partial<FlowBody>,
  attributes: Readonly<Record<string, unknown>> = {},
): Omit<FlowChanges, 'settings'> {
  refuseOtherFolder(body['fs_path']);
  const changes: { -readonly [Member in keyof FlowChanges]: FlowChanges[Member] } = {};
  if (body.name !== undefined) changes.name = body.name;
  if (body.description !== undefined) changes.description = body.description;
  if (body.endpoint_name !== undefined) changes.endpointName = body.endpoint_name || null;
  if (body.data !== undefined) changes.document = withJoinedCode(body.data) as typeof body.data;
  if (body.is_component !== undefined) changes.isComponent = flagValue(body.is_component);
  if (body.webhook !== undefined) changes.webhook = flagValue(body.webhook);
  if (body.folder_id) changes.folderId = normalizeUuid(body.folder_id);
  const given = attributesOf(body);
  if (Object.keys(given).length > 0) changes.attributes = { ...attributes, ...given };
  return changes;
}

/**
 * Refuses the path of a flow's file outside of the user's folder with Langflow's texts. Any other path is ignored, since
 * flows are not files here. Throws invalid_value.
 */
function refuseOtherFolder(path: unknown): void {
  if (typeof path !== 'string') return;
  const text = refusalOf(path.replaceAll('\\', '/'));
  if (text !== null) throw new HttpError('invalid_value', text);
}

function refusalOf(path: string): string | null {
  if (path === '') return 'fs_path cannot be empty';
  if (path.includes('..')) return 'Invalid fs_path: directory traversal (..) is not allowed';
  return /^(?:\/|.:)/s.test(path) ? 'Absolute path must be within your flows directory' : null;
}

function attributesOf(body: Partial<FlowBody>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(attributeDefaults)
      .filter(([name]) => body[name] !== undefined)
      .map(([name, absent]) => [name, typeof absent === 'boolean' ? flagValue(body[name]) : body[name]]),
  );
}

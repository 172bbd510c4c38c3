import { isDeepStrictEqual } from 'node:util';
import type { AuditAction, AuditDetail, AuditEvent, FlowChanges, FlowRecord } from '@millrace/runs';

/** Returns what the audit log records of a flow: its version, and never its document. */
export function flowEvent(
  action: AuditAction,
  { id, name, version }: Pick<FlowRecord, 'id' | 'name' | 'version'>,
  detail: AuditDetail = {},
): AuditEvent {
  return { action, objectId: id, objectName: name, detail: { version, ...detail } };
}

/** Returns whether a change gives a member other than the lock and the settings another value. */
export function changesFlow(
  before: FlowRecord,
  { settings: _, attributes = {}, ...changes }: FlowChanges,
): boolean {
  const given: Readonly<Record<string, unknown>> = {
    ...changes,
    attributes: { ...attributes, locked: undefined },
  };
  const stored: Readonly<Record<string, unknown>> = {
    ...before,
    attributes: { ...before.attributes, locked: undefined },
  };
  return Object.entries(given).some(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(value, stored[name]),
  );
}

/** Returns the names of the members that a change gave another value; each setting counts separately. */
export function changedMembers(before: FlowRecord, after: FlowRecord): readonly string[] {
  const members = [
    'name',
    'description',
    'endpointName',
    'attributes',
    'isComponent',
    'webhook',
    'folderId',
  ] as const;
  const changed: string[] = members.filter((name) => differ(before[name], after[name]));
  if (before.version !== after.version) changed.push('document');
  const settings = new Set([...Object.keys(before.settings), ...Object.keys(after.settings)]);
  for (const name of settings) {
    const [old, current] = [before.settings, after.settings].map(
      (all) => (all as Record<string, unknown>)[name],
    );
    if (differ(old, current)) changed.push(`settings.${name}`);
  }
  return changed;
}

function differ(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) !== JSON.stringify(right);
}

import { HttpError } from '@millrace/http';
import { bindsFlows } from '@millrace/runs';
import type { FlowStore, KeyBounds, MemberStore, ProjectStore } from '@millrace/runs';
import { parseAddressRange } from '@millrace/service';
import { normalizeUuid } from '../../http/validation/uuid-text';
import type { KeyBoundsBody } from './api-key-bodies';

interface Stores {
  readonly flows: Pick<FlowStore, 'find'>;
  readonly projects: Pick<ProjectStore, 'find'>;
  readonly members: Pick<MemberStore, 'ofUser'>;
}

/** The bounds that a body gives; null removes one. */
export type GivenBounds = { readonly [Name in keyof KeyBounds]?: KeyBounds[Name] | null | undefined };

/**
 * Reads the bounds of a body. Throws not_found for a flow that the user does not have and a project that they are no member of, and
 * invalid_value for what is no address.
 */
export async function givenBounds(
  { flows, projects, members }: Stores,
  userId: string,
  { access, flows: flowIds, projects: projectIds, addresses, end_users: endUsers }: KeyBoundsBody,
): Promise<GivenBounds> {
  const ofOthers: string[] = [];
  const findProject = async (id: string) => {
    const own = await projects.find(userId, id);
    if (own) return own;
    ofOthers.push(id);
    return (await members.ofUser(userId)).find(({ projectId }) => projectId === id);
  };
  const ofProjects = await existing(projectIds, 'Project', findProject);
  return {
    access,
    flows: await existing(flowIds, 'Flow', (id) => flows.find(userId, id)),
    projects: ofProjects,
    member: ofProjects === undefined ? undefined : ofOthers.length > 0 || null,
    addresses: addresses?.map(checkedAddress) ?? addresses,
    endUsers,
  } as GivenBounds;
}

/** Returns the bounds after a change; null where nothing narrows the key any more. Throws invalid_value. */
export function changedBounds(before: KeyBounds | null, given: GivenBounds): KeyBounds | null {
  const changes = Object.entries(given).filter(([, value]) => value !== undefined);
  const members = Object.entries({ ...before, ...Object.fromEntries(changes) }).filter(
    ([, value]) => value !== null,
  );
  if (members.length === 0) return null;
  const bounds = Object.fromEntries(members) as KeyBounds;
  if (bounds.member && (bounds.flows !== undefined || bounds.projects?.length !== 1))
    throw new HttpError('invalid_value', 'A key for a project of another user is for that project alone.');
  return bounds;
}

/** Whether bounds take every scope but `run`: with another one, a key would reach what they keep from it. */
export function onlyRuns(bounds: KeyBounds | null): boolean {
  return bounds?.endUsers !== undefined || bindsFlows(bounds);
}

/** Refuses bounds that are wider than those of the key that makes them. Throws permission_denied. */
export function requireNarrower(wanted: KeyBounds | null, held: KeyBounds | null): void {
  // A key with other bounds cannot manage keys.
  const allowed = held?.addresses;
  if (allowed !== undefined && !(wanted?.addresses ?? ['']).every((address) => allowed.includes(address)))
    throw new HttpError('permission_denied', 'A key can only grant addresses that it has.');
}

async function existing(
  texts: readonly string[] | null | undefined,
  kind: string,
  find: (id: string) => Promise<unknown>,
): Promise<readonly string[] | null | undefined> {
  if (!texts) return texts;
  const ids = [...new Set(texts.map((text) => normalizeUuid(text) ?? text))];
  for (const id of ids) if (!(await find(id))) throw new HttpError('not_found', `${kind} ${id} not found`);
  return ids;
}

function checkedAddress(text: string): string {
  try {
    parseAddressRange(text);
  } catch {
    throw new HttpError(
      'invalid_value',
      `addresses: "${text}" is no IP address and no subnet such as 203.0.113.0/24.`,
    );
  }
  return text;
}

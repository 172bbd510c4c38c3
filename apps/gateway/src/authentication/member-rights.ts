import type { RunFailure } from '@millrace/messages';
import type { Member, Principal, Role } from '@millrace/runs';
import type { ConfinedRoute } from '../http/routing/end-user-use';
import type { Right } from '../http/routing/route-rights';

const rightsOf: Readonly<Record<Role, readonly Right[]>> = {
  viewer: ['read'],
  operator: ['read', 'run'],
  editor: ['read', 'run', 'write'],
  owner: ['read', 'run', 'write'],
};

/** Returns why a member of a project may not use a route at all; null where they may, within the project. */
export function refusalOfMember(
  { role, payloads }: Pick<Member, 'role' | 'payloads'>,
  { right, place, showsPayloads }: Omit<ConfinedRoute, 'use'>,
): string | null {
  const isAllowed = rightsOf[role].includes(right) && (place !== 'project of owner' || role === 'owner');
  if (!isAllowed) return `The role ${role} in this project does not allow this.`;
  return showsPayloads && !payloads ? 'A viewer of this project sees no payloads.' : null;
}

/** Returns a view of a run as its caller sees it: without session (its id names end users), result, log and texts of errors for a member without the right to them. */
export function shownRun<View extends object>({ member }: Pick<Principal, 'member'>, view: View): View {
  return member?.payloads === false ? (withoutPayloads(view) as View) : view;
}

function withoutPayloads(view: object): object {
  return Object.fromEntries(
    Object.entries(view).flatMap(([name, value]: [string, unknown]) => {
      if (name === 'session_id') return [];
      if (name === 'result') return [[name, null]];
      if (name === 'log') return [[name, []]];
      if (name === 'attempts') return [[name, (value as readonly object[]).map(withoutPayloads)]];
      if (name !== 'error' || value === null) return [[name, value]];
      const { code, vertex } = value as Pick<RunFailure, 'code' | 'vertex'>;
      return [[name, { code, vertex }]];
    }),
  );
}

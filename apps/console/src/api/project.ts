import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { Schemas, Session } from './answers';
import { call } from './client';
import { every } from './polling';
import { projectId } from './project-path';

/** A project of another user, and the role of the user in it. */
export type Membership = Schemas['Membership'];

export const MEMBERSHIPS = ['memberships'];
const POLL_MILLISECONDS = 30_000;

/** The projects of other users that the user is a member of. While one is shown, a change of the role is noticed. */
export const useMemberships = () =>
  useQuery({
    queryKey: MEMBERSHIPS,
    queryFn: async ({ signal }) =>
      (await call<{ memberships: readonly Membership[] }>('/api/v1/memberships', { signal })).memberships,
    staleTime: POLL_MILLISECONDS,
    refetchInterval: projectId === undefined ? false : every(POLL_MILLISECONDS),
  });

export const ProjectContext = createContext<Membership | undefined>(undefined);

/** The project of another user that the pages show; undefined for the user's own. */
export const useProject = (): Membership | undefined => useContext(ProjectContext);

type Tools = Schemas['Calls']['GET /api/v1/mcp/project/{project_id}']['answer']['tools'];

/** The flows of the project of another user that the pages show, by name: members see names and descriptions. */
export const useProjectFlows = () =>
  useQuery({
    queryKey: ['project-flows'],
    enabled: projectId !== undefined,
    staleTime: 30_000,
    queryFn: async ({ signal }) => {
      const path = `/api/v1/mcp/project/${projectId ?? ''}?mcp_enabled=false`;
      const { tools } = await call<{ tools: Tools }>(path, { signal });
      return tools.toSorted((one, other) => one.name.localeCompare(other.name));
    },
  });

/** Whether the role shows inputs, outputs and messages. */
export const useSeesPayloads = (): boolean => useProject()?.payloads !== false;

/** Whether the role reads and writes flows. */
export function useMayReadFlows(): boolean {
  const project = useProject();
  return project === undefined || project.role === 'editor' || project.role === 'owner';
}

/** The session as the pages of a project see it: runs are those of its owner, where payloads are shown, and a viewer starts none. */
export function sessionIn(session: Session, { owner_id: owner, role, payloads }: Membership): Session {
  const { user, scopes } = session;
  return {
    ...session,
    user: { ...user, id: payloads ? owner : user.id, is_superuser: false },
    scopes: role === 'viewer' ? [] : scopes.filter((scope) => scope === 'run'),
  };
}

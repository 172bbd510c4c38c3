import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { Router } from 'wouter';
import { REFUSED } from '../api/client';
import { MEMBERSHIPS, ProjectContext, sessionIn, useMemberships } from '../api/project';
import { pathOfProject } from '../api/project-path';
import { SessionContext, useSession } from '../api/session';
import { Busy, Empty, ErrorNote } from '../ui/parts';

interface InProjectProps {
  readonly id: string;
  readonly children: ReactNode;
}

/** Shows pages for a project of another user, as far as the role of the user goes. */
export function InProject({ id, children }: InProjectProps) {
  const session = useSession();
  const memberships = useMemberships();
  const client = useQueryClient();
  useEffect(() => {
    // Also calls of dialogs, which are neither queries nor mutations.
    const onRefused = () => void client.invalidateQueries({ queryKey: MEMBERSHIPS });
    window.addEventListener(REFUSED, onRefused);
    return () => window.removeEventListener(REFUSED, onRefused);
  }, [client]);
  const found = memberships.data?.find(({ project_id: project }) => project === id);
  if (memberships.isPending) return <Busy />;
  if (found === undefined)
    return (
      <main className="page">
        <h1>Project of another user</h1>
        {memberships.data === undefined ? (
          <ErrorNote error={memberships.error} retry={() => void memberships.refetch()} />
        ) : (
          <Empty title="You are not a member of this project">
            Its owner can make you one. The address of the page names the project {id}.
          </Empty>
        )}
        <p className="row center">
          <a href="/">Go to your own projects</a>
        </p>
      </main>
    );
  return (
    <Router base={pathOfProject(id)}>
      <ProjectContext value={found}>
        <SessionContext value={sessionIn(session, found)}>{children}</SessionContext>
      </ProjectContext>
    </Router>
  );
}

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { call } from '../api/client';
import { MEMBERSHIPS, useMemberships, useProject } from '../api/project';
import type { Membership } from '../api/project';
import { pathOfProject, projectId } from '../api/project-path';
import { useMay } from '../api/session';
import { useTitle } from '../shell/title';
import { DataTable } from '../ui/data-table';
import { Confirm } from '../ui/dialog';
import { Busy, Button, Card, ErrorNote, PageHead, Time } from '../ui/parts';
import { MembersCard } from './members-card';
import { Named, roleText } from '../shell/project-choice';

/** Who may use the projects of the user, and the projects of others that the user may use. */
export function MembersPage() {
  useTitle('Members');
  const project = useProject();
  const mayManage = useMay('manage');
  const memberships = useMemberships();
  const shown = memberships.data?.filter(({ project_id: id }) => project === undefined || id === projectId);
  return (
    <div className="page">
      <PageHead
        title="Members"
        about="Members of a project use its flows and runs as far as their roles go. Lists of other projects do not show it."
      />
      {memberships.error !== null && <ErrorNote error={memberships.error} />}
      {project === undefined && mayManage && <OwnProjects />}
      {project?.role === 'owner' && (
        <MembersCard project={{ id: project.project_id, name: project.project_name }} />
      )}
      {shown !== undefined && shown.length > 0 && <Memberships of={shown} />}
    </div>
  );
}

/** The members of one of the user's projects. The address has the choice. */
function OwnProjects() {
  const [parameters, setParameters] = useSearchParams();
  const projects = useQuery({
    queryKey: ['projects'],
    queryFn: ({ signal }) => call<{ id: string; name: string }[]>('/api/v1/projects/', { signal }),
    staleTime: 30_000,
  });
  if (projects.isPending) return <Busy />;
  if (projects.data === undefined)
    return <ErrorNote error={projects.error} retry={() => void projects.refetch()} />;
  const chosen = projects.data.find(({ id }) => id === parameters.get('project')) ?? projects.data[0];
  return (
    <>
      <div className="row">
        <select
          className="input narrow"
          aria-label="Project"
          value={chosen?.id}
          onChange={({ target }) => setParameters({ project: target.value }, { replace: true })}
        >
          {projects.data.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </div>
      {chosen !== undefined && <MembersCard key={chosen.id} project={chosen} />}
    </>
  );
}

/** Projects of other users with the role of the user, who can leave them. */
function Memberships({ of }: { readonly of: readonly Membership[] }) {
  const client = useQueryClient();
  const [left, setLeft] = useState<Membership>();
  const leave = async ({ project_id: id }: Membership) => {
    await call(`/api/v1/memberships/${id}`, { method: 'DELETE' });
    if (id === projectId) location.assign('/');
    else await client.invalidateQueries({ queryKey: MEMBERSHIPS });
  };
  return (
    <Card title="Your memberships" flush>
      <DataTable
        isFlush
        rows={of}
        rowKey={({ project_id: id }) => id}
        columns={[
          {
            title: 'Project',
            cell: (each) => (
              <a href={pathOfProject(each.project_id)}>
                <Named of={each} />
              </a>
            ),
          },
          { title: 'Role', cell: roleText, isFixed: true },
          { title: 'Since', cell: ({ created_at: since }) => <Time of={since} />, isFixed: true },
          {
            title: '',
            cell: (each) => (
              <span className="row end">
                <Button size="small" kind="danger" onClick={() => setLeft(each)}>
                  Leave
                </Button>
              </span>
            ),
          },
        ]}
      />
      {left !== undefined && (
        <Confirm
          title={`Leave “${left.project_name}”?`}
          action="Leave the project"
          danger
          onClose={() => setLeft(undefined)}
          onConfirm={() => leave(left)}
        >
          <p className="muted">Only an owner of the project can make you a member again.</p>
        </Confirm>
      )}
    </Card>
  );
}

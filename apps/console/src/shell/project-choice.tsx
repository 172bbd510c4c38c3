import { useMemberships, useProject } from '../api/project';
import type { Membership } from '../api/project';
import { pathOfProject } from '../api/project-path';
import { Menu } from '../ui/menu';

/** Chooses between the own projects and those of other users that the user is a member of; nothing for a member of none. */
export function ProjectChoice() {
  const { data = [] } = useMemberships();
  const project = useProject();
  if (data.length === 0) return null;
  return (
    <div className="project-choice">
      <Menu
        title={
          <span className="cut">
            <span className="visually-hidden">Projects of: </span>
            {project === undefined ? 'You' : <Named of={project} />}
          </span>
        }
        actions={[
          { title: 'Your own projects', act: () => location.assign('/') },
          ...data.map((each) => ({
            title: each.project_id,
            shown: (
              <span>
                <Named of={each} />
              </span>
            ),
            act: () => location.assign(pathOfProject(each.project_id)),
          })),
        ]}
      />
    </div>
  );
}

/** A project with its owner. Names are texts of others: each is a part of its own, whatever its direction. */
export function Named({ of }: { readonly of: Membership }) {
  return (
    <>
      <bdi>{of.project_name}</bdi> of <bdi>{of.owner_username}</bdi>
    </>
  );
}

/** Says on every page whose project it shows, and with which role. */
export function ProjectBar() {
  const project = useProject();
  if (project === undefined) return null;
  return (
    <div className="banner project" role="note" aria-label="Project of another user">
      <span>
        <Named of={project} />
      </span>
      <span className="tag">{roleText(project)}</span>
      <a href="/">Your own projects</a>
    </div>
  );
}

/** A role in words, with what a viewer sees. */
export function roleText({ role, payloads }: Pick<Membership, 'role' | 'payloads'>): string {
  return role === 'viewer' ? `viewer, ${payloads ? 'with' : 'without'} payloads` : role;
}

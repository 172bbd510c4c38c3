import { lazy } from 'react';
import { Link, Redirect, Route, Switch, useSearchParams } from 'wouter';
import { useProject, useProjectFlows, useSeesPayloads } from '../api/project';
import { useMay } from '../api/session';
import { RunsList } from '../runs/runs-list';
import { useTitle } from '../shell/title';
import { DataTable } from '../ui/data-table';
import { Busy, Empty, ErrorNote, PageHead } from '../ui/parts';
import { MembersPage } from './members-page';
import { ProjectFlowPage } from './project-flow-page';

const RunPage = lazy(() => import('../runs/run-page').then((module) => ({ default: module.RunPage })));
const ComparePage = lazy(() =>
  import('../compare/compare-page').then((module) => ({ default: module.ComparePage })),
);

/** The pages that a member of a project has. */
export default function ProjectPages() {
  return (
    <Switch>
      <Route path="/">
        <Redirect to="/runs" replace />
      </Route>
      <Route path="/runs">
        <ProjectRunsPage />
      </Route>
      <Route path="/runs/compare">
        <ComparePage />
      </Route>
      <Route path="/runs/:id">{({ id }) => <RunPage key={id} id={id} />}</Route>
      <Route path="/flows">
        <ProjectFlowsPage />
      </Route>
      <Route path="/flows/:id">{({ id }) => <ProjectFlowPage key={id} id={id} />}</Route>
      <Route path="/access/members">
        <MembersPage />
      </Route>
      <Route>
        <div className="page">
          <h1>Not in this project</h1>
          <Empty title="Members have no such page">
            It shows what belongs to no project, or to all projects of a user.
          </Empty>
          <p className="row center">
            <Link href="/runs">Go to the runs of the project</Link>
          </p>
        </div>
      </Route>
    </Switch>
  );
}

/** The runs of one flow: a member lists no runs of several flows at once. The address has the flow and the session. */
function ProjectRunsPage() {
  useTitle('Runs');
  const [parameters, setParameters] = useSearchParams();
  const flows = useProjectFlows();
  const seesSessions = useSeesPayloads();
  const session = parameters.get('session') ?? undefined;
  const flow = parameters.get('flow') ?? flows.data?.[0]?.id;
  const isKnown = flows.data?.some(({ id }) => id === flow) === true;
  return (
    <div className="page full">
      <PageHead title="Runs" about={session === undefined ? undefined : `Session ${session}`}>
        <select
          className="input narrow"
          aria-label="Flow"
          value={isKnown ? flow : ''}
          onChange={({ target }) => setParameters({ flow: target.value }, { replace: true })}
        >
          {!isKnown && <option value="">Choose a flow</option>}
          {(flows.data ?? []).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </PageHead>
      {flows.isPending && <Busy />}
      {flows.error !== null && <ErrorNote error={flows.error} retry={() => void flows.refetch()} />}
      {flows.data !== undefined && flow === undefined && <Empty title="No flows yet" />}
      {flows.data !== undefined && flow !== undefined && !isKnown && (
        <Empty title="The project has no such flow" />
      )}
      {isKnown && session !== undefined && !seesSessions && (
        <Empty title="Your role shows no sessions">
          <Link href={`/runs?flow=${flow}`}>All runs of the flow</Link>
        </Empty>
      )}
      {isKnown && (session === undefined || seesSessions) && (
        <RunsList
          key={`${flow} ${session ?? ''}`}
          filter={{ flow_id: flow, session_id: session }}
          empty={<Empty title="No runs yet">The flow has no runs that are kept.</Empty>}
        />
      )}
    </div>
  );
}

function ProjectFlowsPage() {
  useTitle('Flows');
  const flows = useProjectFlows();
  const mayRun = useMay('run');
  const name = useProject()?.project_name;
  return (
    <div className="page">
      <PageHead title="Flows" about={name} />
      {flows.isPending && <Busy />}
      {flows.error !== null && <ErrorNote error={flows.error} retry={() => void flows.refetch()} />}
      {flows.data !== undefined && (
        <DataTable
          rows={flows.data}
          rowKey={({ id }) => id}
          empty={<Empty title="No flows yet" />}
          columns={[
            {
              title: 'Flow',
              cell: ({ id, name: title, description }) => (
                <div>
                  <Link href={`/flows/${id}`} className="runs-link" dir="auto">
                    {title}
                  </Link>
                  <div className="muted small" dir="auto">
                    {description}
                  </div>
                </div>
              ),
            },
            {
              title: '',
              cell: ({ id, name: title }) =>
                mayRun && (
                  <span className="row end">
                    <Link className="button small" href={`/flows/${id}?tab=playground`}>
                      Run<span className="visually-hidden"> {title}</span>
                    </Link>
                  </span>
                ),
            },
          ]}
        />
      )}
    </div>
  );
}

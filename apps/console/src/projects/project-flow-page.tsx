import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { call } from '../api/client';
import { useMayReadFlows, useProjectFlows, useSeesPayloads } from '../api/project';
import { useMay } from '../api/session';
import type { Flow, FlowDocument } from '../api/answers';
import { GraphTab } from '../flows/graph-tab';
import { Playground } from '../flows/playground';
import { VersionsTab } from '../flows/versions-tab';
import { RunsList } from '../runs/runs-list';
import { useTitle } from '../shell/title';
import { ChevronLeft } from '../ui/icons';
import { Busy, Empty, ErrorNote, PageHead } from '../ui/parts';
import { Tabs } from '../ui/tabs';

/** For a caller who starts the flow and does not read it: a message can be sent, and no other input. */
const UNREAD: FlowDocument = { nodes: [], edges: [] };

/** A flow of a project of another user: its runs, and what else the role shows. */
export function ProjectFlowPage({ id }: { readonly id: string }) {
  const [parameters, setParameters] = useSearchParams();
  const flows = useProjectFlows();
  const [mayRun, mayRead, sees] = [useMay('run'), useMayReadFlows(), useSeesPayloads()];
  const read = useQuery({
    queryKey: ['flow', id],
    enabled: mayRead,
    queryFn: ({ signal }) => call<Flow>(`/api/v1/flows/${id}`, { signal }),
  });
  const known = flows.data?.find((each) => each.id === id);
  const { data: flow } = read;
  useTitle(known?.name ?? 'Flow');
  if (flows.isPending || read.isLoading) return <Busy />;
  const error = flows.error ?? read.error;
  if (known === undefined || error !== null)
    return (
      <div className="page">
        <PageHead title="Flow" about={id} />
        {error === null ? (
          <Empty title="The project has no such flow" />
        ) : (
          <ErrorNote error={error} retry={() => void Promise.all([flows.refetch(), read.refetch()])} />
        )}
      </div>
    );
  const document = flow?.data ?? (mayRun ? UNREAD : undefined);
  const runs = () => (
    <div className="runs-tab">
      <RunsList filter={{ flow_id: id }} empty={<Empty title="No runs yet" />} />
    </div>
  );
  return (
    <div className="page">
      <PageHead
        before={
          <Link href="/flows" className="crumb">
            <ChevronLeft size={14} /> Flows
          </Link>
        }
        title={known.name}
        about={known.description ?? undefined}
      >
        {flow !== undefined && <span className="tag">version {flow.version}</span>}
      </PageHead>
      <Tabs
        label="Parts of the flow"
        selected={parameters.get('tab') ?? 'runs'}
        onSelect={(tab) => setParameters({ tab }, { replace: true })}
        items={[
          { id: 'runs', title: 'Runs', render: runs },
          ...(sees
            ? [
                {
                  id: 'playground',
                  title: mayRun ? 'Playground' : 'Conversations',
                  render: () => <Playground flow={known} document={mayRun ? document : undefined} />,
                },
              ]
            : []),
          ...(flow?.data
            ? [
                {
                  id: 'graph',
                  title: 'Graph',
                  render: () => <GraphTab flow={id} document={flow.data ?? UNREAD} report={undefined} />,
                },
                { id: 'versions', title: 'Versions', render: () => <VersionsTab flow={flow} /> },
              ]
            : []),
        ]}
      />
    </div>
  );
}

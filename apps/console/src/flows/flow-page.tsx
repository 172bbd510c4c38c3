import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { call } from '../api/client';
import { useVersionOf } from '../api/queries';
import { useMay } from '../api/session';
import type { Flow, FlowReport } from '../api/answers';
import { RunsList } from '../runs/runs-list';
import { useTitle } from '../shell/title';
import { ChevronLeft, Play } from '../ui/icons';
import { Busy, Button, Card, Empty, ErrorNote, PageHead, State } from '../ui/parts';
import { Tabs } from '../ui/tabs';
import { ApiTab } from './api-tab';
import { CallbacksTab } from './callbacks-tab';
import { FlowSettings } from './flow-settings';
import { GraphTab } from './graph-tab';
import { OpenAlerts } from './open-alerts';
import { Playground } from './playground';
import { TriggersTab } from './triggers-tab';
import { VersionsTab } from './versions-tab';
import { WebhookTab } from './webhook-tab';

export function FlowPage({ id }: { readonly id: string }) {
  const flow = useQuery({
    queryKey: ['flow', id],
    queryFn: ({ signal }) => call<Flow>(`/api/v1/flows/${id}`, { signal }),
  });
  useTitle(flow.data?.name ?? 'Flow');
  if (flow.isPending) return <Busy />;
  if (flow.data === undefined)
    return (
      <div className="page">
        <PageHead title="Flow" about={id} />
        <ErrorNote error={flow.error} retry={() => void flow.refetch()} />
      </div>
    );
  return <Shown flow={flow.data} />;
}

/** How the flow would run here: a verdict for it and for each vertex. */
const useReport = (flow: Flow) =>
  useQuery({
    queryKey: ['flow-report', flow.id, flow.version],
    staleTime: 30_000,
    queryFn: async ({ signal }) => {
      const { name, data } = flow;
      const reports = await call<FlowReport[]>('/api/v1/flows/check', {
        method: 'POST',
        body: { name, data },
        signal,
      });
      return reports[0];
    },
  });

function Shown({ flow }: { readonly flow: Flow }) {
  const [parameters, setParameters] = useSearchParams();
  const canRun = useMay('run');
  const report = useReport(flow);
  const version = useVersionOf({ flow_id: flow.id, flow_version: flow.version });
  const document = version.data?.data ?? flow.data ?? undefined;
  const tab = parameters.get('tab') ?? 'graph';
  const select = (next: string) => setParameters(new URLSearchParams({ tab: next }), { replace: true });
  const endpoint = flow.endpoint_name ?? flow.id;
  return (
    <div className="page">
      <PageHead
        before={
          <Link href="/flows" className="crumb">
            <ChevronLeft size={14} /> Flows
          </Link>
        }
        title={
          <span className="row">
            {flow.name} {report.data !== undefined && <State of={report.data.verdict} />}
          </span>
        }
        about={flow.description ?? undefined}
      >
        <span className="tag">version {flow.version}</span>
        {canRun && (
          <Button kind="primary" onClick={() => select('playground')}>
            <Play size={15} /> Run
          </Button>
        )}
      </PageHead>
      <OpenAlerts flow={flow.id} />
      <Tabs
        label="Parts of the flow"
        selected={tab}
        onSelect={select}
        items={[
          {
            id: 'graph',
            title: 'Graph',
            render: () =>
              document === undefined ? (
                <Busy />
              ) : (
                <GraphTab flow={flow.id} document={document} report={report.data} />
              ),
          },
          {
            id: 'playground',
            title: 'Playground',
            render: () =>
              document === undefined ? <Busy /> : <Playground flow={flow} document={document} />,
          },
          {
            id: 'runs',
            title: 'Runs',
            render: () => (
              <div className="runs-tab">
                <RunsList
                  filter={{ flow_id: flow.id }}
                  empty={<Empty title="No runs yet">Run the flow in the tab Playground.</Empty>}
                />
              </div>
            ),
          },
          { id: 'versions', title: 'Versions', render: () => <VersionsTab flow={flow} /> },
          { id: 'api', title: 'API', render: () => <ApiTab flow={flow} endpoint={endpoint} /> },
          { id: 'webhook', title: 'Webhook', render: () => <WebhookTab flow={flow} endpoint={endpoint} /> },
          { id: 'callbacks', title: 'Callbacks', render: () => <CallbacksTab flow={flow} /> },
          { id: 'triggers', title: 'Triggers', render: () => <TriggersTab flow={flow} /> },
          {
            id: 'settings',
            title: 'Settings',
            render: () => (
              <Card title="Settings of the flow">
                <FlowSettings flow={flow} />
              </Card>
            ),
          },
        ]}
      />
    </div>
  );
}

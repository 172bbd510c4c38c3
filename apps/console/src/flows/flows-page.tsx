import { useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useFlowStatistics, useFlows } from '../api/queries';
import { useMay } from '../api/session';
import type { FlowStatistics, FlowSummary } from '../api/answers';
import { useShortcuts } from '../shell/keyboard';
import { useTitle } from '../shell/title';
import { count, duration } from '../ui/format';
import { Upload } from '../ui/icons';
import { Busy, Button, Empty, ErrorNote, PageHead, State, Time } from '../ui/parts';
import { ImportDialog } from './import-dialog';
import { OpenAlerts } from './open-alerts';

export function FlowsPage() {
  useTitle('Flows');
  const flows = useFlows();
  const statistics = useFlowStatistics();
  const canManage = useMay('manage');
  const [search, setSearch] = useState('');
  const [dropped, setDropped] = useState<readonly File[]>();
  const byFlow = useMemo(
    () => new Map((statistics.data?.flows ?? []).map((each) => [each.flow_id, each])),
    [statistics.data],
  );
  const wanted = search.toLowerCase();
  const shown = (flows.data ?? []).filter(
    ({ name, endpoint_name: endpoint, is_component: isComponent = false }) =>
      !isComponent && [name, endpoint ?? ''].some((each) => each.toLowerCase().includes(wanted)),
  );
  return (
    <div
      className="page"
      onDragOver={(event) => canManage && event.preventDefault()}
      onDrop={(event) => {
        if (!canManage) return;
        event.preventDefault();
        setDropped([...event.dataTransfer.files]);
      }}
    >
      <PageHead
        title="Flows"
        about={canManage ? 'Drop exported files anywhere on this page to import them.' : undefined}
      >
        {canManage && (
          <Button kind="primary" onClick={() => setDropped([])}>
            <Upload size={15} /> Import
          </Button>
        )}
      </PageHead>
      <OpenAlerts />
      <div className="row">
        <div className="search plain">
          <input
            className="input"
            type="search"
            data-search
            placeholder="Search by name"
            aria-label="Search flows by name"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </div>
        <span className="muted">{count(shown.length)} flows</span>
      </div>
      {flows.isPending && <Busy />}
      {flows.error !== null && <ErrorNote error={flows.error} retry={() => void flows.refetch()} />}
      {flows.data !== undefined && shown.length === 0 && (
        <Empty
          title={search === '' ? 'No flows yet' : 'No flow has this name'}
          {...(search === ''
            ? {
                paste: `curl '${location.origin}/api/v1/flows/upload/' -H "x-api-key: $MILLRACE_API_KEY" -F file=@my-flow.json`,
              }
            : {})}
        >
          Export a flow from Langflow as JSON, and drop the file here.
        </Empty>
      )}
      {shown.length > 0 && <FlowsTable flows={shown} statistics={byFlow} />}
      {dropped !== undefined && <ImportDialog files={dropped} onClose={() => setDropped(undefined)} />}
    </div>
  );
}

interface FlowsTableProps {
  readonly flows: readonly FlowSummary[];
  readonly statistics: ReadonlyMap<string, FlowStatistics>;
}

function FlowsTable({ flows, statistics }: FlowsTableProps) {
  const [current, setCurrent] = useState(-1);
  const [, navigate] = useLocation();
  const canRun = useMay('run');
  useShortcuts({
    j: () => setCurrent(Math.min(current + 1, flows.length - 1)),
    k: () => setCurrent(Math.max(current - 1, 0)),
    Enter: () => flows[current] !== undefined && navigate(`/flows/${flows[current].id}`),
  });
  return (
    <div className="card table-wrap">
      <table className="data">
        <thead>
          <tr>
            <th>Flow</th>
            <th>Last run</th>
            <th className="number" title="In the last 7 days">
              Runs, 7 d
            </th>
            <th className="number">Success</th>
            <th className="number">p50</th>
            <th className="number">p95</th>
            {canRun && (
              <th>
                <span className="visually-hidden">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {flows.map((flow, index) => {
            const known = statistics.get(flow.id);
            return (
              <tr key={flow.id} className={index === current ? 'current' : ''}>
                <td>
                  <Link href={`/flows/${flow.id}`} className="runs-link" dir="auto">
                    {flow.name}
                  </Link>
                  <div className="muted small" dir="auto">
                    {flow.description || flow.endpoint_name}
                  </div>
                </td>
                <td data-title="Last run" className="fixed">
                  {known?.last_run ? (
                    <Link className="row nowrap" href={`/runs/${known.last_run.id}`}>
                      <State of={known.last_run.status} />
                      <span className="muted">
                        <Time of={known.last_run.accepted_at} />
                      </span>
                    </Link>
                  ) : (
                    <span className="muted">never</span>
                  )}
                </td>
                <td data-title="Runs, 7 d" className="number">
                  {known === undefined ? NONE : count(known.total)}
                </td>
                <td data-title="Success" className="number">
                  <Rate of={known?.success_rate} />
                </td>
                <td data-title="p50" className="number fixed">
                  {optional(known?.p50_milliseconds)}
                </td>
                <td data-title="p95" className="number fixed">
                  {optional(known?.p95_milliseconds)}
                </td>
                {canRun && (
                  <td className="fixed">
                    <span className="row nowrap">
                      <RowLink to={flow} tab="playground" title="Run" />
                      <RowLink to={flow} tab="webhook" title="Webhook" />
                    </span>
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface RowLinkProps {
  readonly to: FlowSummary;
  readonly tab: string;
  readonly title: string;
}

function RowLink({ to: { id, name }, tab, title }: RowLinkProps) {
  return (
    <Link className="button small" href={`/flows/${id}?tab=${tab}`}>
      {title}
      <span className="visually-hidden"> {name}</span>
    </Link>
  );
}

const NONE = <span className="muted">–</span>;

const optional = (milliseconds: number | null | undefined) =>
  milliseconds === null || milliseconds === undefined ? NONE : duration(milliseconds);

function Rate({ of }: { readonly of: number | null | undefined }) {
  if (of === null || of === undefined) return NONE;
  const percent = of * 100;
  const tone = percent >= 99 ? 'rate-good' : percent >= 90 ? 'rate-fair' : 'rate-bad';
  return <span className={tone}>{percent === 100 ? '100 %' : `${percent.toFixed(1)} %`}</span>;
}

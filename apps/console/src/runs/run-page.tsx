import { useMemo, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { ApiError, query } from '../api/client';
import { hasEnded, useFlows, useIsOwn, useRun, useRunRequest, useTrace, useVersionOf } from '../api/queries';
import { useRequestsOf } from '../api/pending';
import { useMayReadFlows, useProject } from '../api/project';
import type { Membership } from '../api/project';
import type { OpenRequest } from '../api/pending';
import type { FlowSummary, Run } from '../api/answers';
import { GraphFrame } from '../graph/graph-frame';
import { vertexOf } from '../pending/open-request';
import { RunQuestions } from '../pending/run-questions';
import { useTitle } from '../shell/title';
import { cost, count, shortId } from '../ui/format';
import { ChevronLeft } from '../ui/icons';
import { Busy, Card, CopyButton, Empty, ErrorNote, Facts, Note, PageHead, State, Time } from '../ui/parts';
import type { Fact } from '../ui/parts';
import { Tabs } from '../ui/tabs';
import { ValueView } from '../ui/value-view';
import { Attempts } from './attempts';
import { Failure } from './failure';
import { useLiveRun } from './live-run';
import type { LiveRun } from './live-run';
import { errorAt, marksOf } from './marks';
import { RunActions } from './run-actions';
import { originOf } from './run-origin';
import { RunTime } from './run-time';
import { inputOf } from './run-input';
import { RunLog } from './run-log';
import { RunMessages } from './run-messages';
import { Outputs, Request } from './run-tabs';
import { tookText, waitedText } from './run-times';
import { TimelineTab } from './timeline-tab';
import { WaitingLine } from './waiting';
import { VertexPanel } from './vertex-panel';

export function RunPage({ id }: { readonly id: string }) {
  useTitle(`Run ${shortId(id)}`);
  const run = useRun(id);
  const isInProject = useProject() !== undefined;
  const { data: flows } = useFlows();
  // A run that is open when it ends keeps what has arrived.
  const [wasActive, setWasActive] = useState<string>();
  const isActive = run.data !== undefined && !hasEnded(run.data);
  if (isActive && wasActive !== id) setWasActive(id);
  const isFollowed = isActive || wasActive === id;
  // Events are for the owner of a run.
  const isOwn = useIsOwn(run.data);
  const live = useLiveRun(id, isFollowed && isOwn);
  if (run.isPending) return <Busy />;
  if (run.data === undefined)
    return (
      <div className="page">
        <PageHead title="Run" about={id} />
        <ErrorNote error={run.error} retry={() => void run.refetch()} />
        {isInProject && run.error instanceof ApiError && run.error.status === 404 && (
          <p className="row center">
            <a href={`/runs/${id}`}>Look for it among your own runs</a>
          </p>
        )}
      </div>
    );
  const flow = flows?.find((each) => each.id === run.data.flow_id);
  return <Shown run={run.data} flow={flow} live={live} isFollowed={isFollowed} isOwn={isOwn} />;
}

const NONE: readonly OpenRequest[] = [];
/** Parts of a run that a viewer without payloads does not have. */
const WITH_PAYLOADS = ['timeline', 'output', 'messages', 'request'];

interface ShownProps {
  readonly run: Run;
  readonly flow: FlowSummary | undefined;
  readonly live: LiveRun | undefined;
  /** The run went on when the page was opened. */
  readonly isFollowed: boolean;
  readonly isOwn: boolean;
}

function Shown({ run, flow, live, isFollowed, isOwn }: ShownProps) {
  const trace = useTrace(run);
  const request = useRunRequest(isOwn ? run : undefined);
  const version = useVersionOf(run);
  const [parameters, change] = useParameters();
  const selected = parameters.get('vertex') ?? undefined;
  const tab = parameters.get('tab') ?? (isFollowed ? 'output' : 'timeline');
  const project = useProject();
  const hasGraph = useMayReadFlows();
  const hidden = project?.payloads === false ? WITH_PAYLOADS : [];
  const select = (vertex: string | undefined, call?: number) =>
    change({ vertex, call: call === undefined ? undefined : String(call + 1) });
  const call = parameters.get('call');
  const requests = useRequestsOf(run, isOwn);
  const questions = run.status === 'suspended' ? (requests.data ?? NONE) : NONE;
  const marks = useMemo(
    () => marksOf(run, trace.data, live, questions.map(vertexOf)),
    [run, trace.data, live, questions],
  );
  const input = inputOf(run, request.data, trace.data);
  const document = version.data?.data;
  const node = document?.nodes.find(({ id }) => id === selected);
  const record = trace.data?.vertices.find(({ id }) => id === selected);
  const panel = selected !== undefined && (
    <VertexPanel
      id={selected}
      node={node}
      record={record}
      error={errorAt(run, selected)}
      call={call === null ? undefined : Number(call) - 1}
      onClose={() => select(undefined)}
    />
  );
  const graph = (
    <Card title={`Graph · version ${run.flow_version ?? '?'}`} flush>
      {document === undefined ? (
        <Missing error={version.error} />
      ) : (
        <GraphFrame document={document} marks={marks} selected={selected} onSelect={select} panel={panel} />
      )}
    </Card>
  );
  return (
    <div className="page">
      <PageHead
        before={
          <Link href="/runs" className="crumb">
            <ChevronLeft size={14} /> Runs
          </Link>
        }
        title={
          <span className="row">
            {run.flow_name ?? flow?.name ?? 'Run'} <State of={run.status} />
          </span>
        }
        about={
          <span className="row">
            <span className="mono">{run.id}</span>
            <CopyButton text={run.id} label="Copy the id" />
          </span>
        }
      >
        {isOwn && <RunActions run={run} flow={flow} input={input} request={request.data} />}
      </PageHead>
      <Failure run={run} isOwn={isOwn} onVertex={select} />
      <WaitingLine run={run} />
      <RunQuestions run={run} isOwn={isOwn} questions={questions} onVertex={select} />
      <section className="card">
        <div className="body">
          <Facts of={factsOf(run, isOwn, project)} />
        </div>
      </section>
      <div className={`run-body ${selected === undefined ? '' : 'with-panel'}`}>
        <div className="stack">
          {hasGraph && graph}
          <section className="card">
            <Tabs
              label="Parts of the run"
              selected={tab}
              onSelect={(next) => change({ tab: next })}
              items={[
                {
                  id: 'timeline',
                  title: 'Timeline',
                  render: () => (
                    <TimelineTab
                      run={run}
                      trace={trace.data}
                      request={request.data}
                      isOwn={isOwn}
                      selected={selected}
                      onSelect={select}
                    />
                  ),
                },
                {
                  id: 'output',
                  title: 'Output',
                  render: () => (
                    <div className="body stack">
                      {!hasEnded(run) && live?.stream === 'waiting' && (
                        <Note tone="warn">
                          The connection was lost. The page connects again and reads what it missed.
                        </Note>
                      )}
                      <Outputs run={run} live={live?.messages ?? []} />
                    </div>
                  ),
                },
                {
                  id: 'messages',
                  title: 'Messages',
                  render: () => (
                    <div className="body">
                      {isOwn ? <RunMessages run={run} /> : <OfAnotherUser what="messages" />}
                    </div>
                  ),
                },
                {
                  id: 'request',
                  title: 'Request',
                  render: () => (
                    <div className="body stack">
                      {isOwn ? (
                        <Request run={run} input={input} request={request.data} />
                      ) : (
                        <OfAnotherUser what="request" />
                      )}
                    </div>
                  ),
                },
                {
                  id: 'attempts',
                  title: 'Attempts',
                  render: () => <Attempts run={run} />,
                },
                {
                  id: 'log',
                  title: 'Log',
                  render: () => <RunLog run={run} />,
                },
                {
                  id: 'json',
                  title: 'JSON',
                  render: () => (
                    <div className="body">
                      <ValueView value={{ ...run, trace: trace.data ?? undefined }} label="The run as JSON" />
                    </div>
                  ),
                },
              ].filter(({ id }) => !hidden.includes(id))}
            />
          </section>
        </div>
        {panel}
      </div>
    </div>
  );
}

/** The parameters of the address, and a function that sets or removes some of them. */
function useParameters() {
  const [parameters, setParameters] = useSearchParams();
  const change = (values: Readonly<Record<string, string | undefined>>) =>
    setParameters(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(values))
          if (value === undefined) next.delete(name);
          else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  return [parameters, change] as const;
}

/** Why there is no graph. */
function Missing({ error }: { readonly error: unknown }) {
  if (error === null) return <Busy />;
  if (error instanceof ApiError && error.status === 404)
    return (
      <Empty title="No graph">This version of the flow is no longer kept, or the flow was deleted.</Empty>
    );
  if (error instanceof ApiError && error.status === 403)
    return <Empty title="No graph">Your key does not show flows: sign in with a key of scope manage.</Empty>;
  return <ErrorNote error={error} />;
}

/** What the gateway shows to the owner of a run alone, since it can contain secrets. */
function OfAnotherUser({ what }: { readonly what: 'messages' | 'request' }) {
  return (
    <Empty title={what === 'messages' ? 'Messages of another user' : 'The request of another user'}>
      {what === 'messages' ? 'They are' : 'It is'} shown to the owner of the run alone.
    </Empty>
  );
}

function factsOf(run: Run, isOwn: boolean, project: Membership | undefined): readonly Fact[] {
  const version = `Version ${run.flow_version ?? '?'}`;
  const session = run.session_id ?? '';
  const list =
    project === undefined ? { session, all: isOwn ? undefined : 1 } : { flow: run.flow_id, session };
  return [
    ...(isOwn || project !== undefined
      ? []
      : [{ name: 'User', value: <span dir="auto">{run.username ?? run.user_id}</span> }]),
    { name: 'Accepted', value: <Time of={run.accepted_at} /> },
    { name: 'Waited', value: <RunTime of={run} text={waitedText} /> },
    { name: 'Duration', value: <RunTime of={run} text={tookText} /> },
    { name: 'Attempt', value: `${run.attempt}${run.retries ? ` · ${run.retries} retries` : ''}` },
    {
      name: 'Tokens',
      value:
        run.usage === null
          ? '–'
          : `${count(run.usage.input_tokens)} in · ${count(run.usage.output_tokens)} out`,
    },
    { name: 'Cost', value: cost(run.usage?.cost_usd) },
    { name: 'Origin', value: `${originOf(run)} · ${run.lane}` },
    ...(run.trigger ? [{ name: 'Trigger', value: <span dir="auto">{run.trigger.name}</span> }] : []),
    { name: 'Pool', value: run.pool },
    ...(run.trace_url
      ? [
          {
            name: 'Trace',
            value: (
              <a href={run.trace_url} target="_blank" rel="noreferrer">
                Open in the trace backend
              </a>
            ),
          },
        ]
      : []),
    ...(run.worker ? [{ name: 'Worker', value: <span className="mono">{run.worker}</span> }] : []),
    {
      name: 'Flow',
      value: isOwn || project !== undefined ? <Link href={`/flows/${run.flow_id}`}>{version}</Link> : version,
    },
    {
      name: 'Session',
      value:
        session === '' ? (
          '–'
        ) : (
          <Link className="mono" href={`/runs${query(list)}`}>
            {session.length > 24 ? `…${shortId(session)}` : session}
          </Link>
        ),
    },
    ...(run.replay_of
      ? [
          {
            name: 'Replay of',
            value: (
              <Link className="mono" href={`/runs/${run.replay_of}`}>
                {shortId(run.replay_of)}
              </Link>
            ),
          },
        ]
      : []),
  ];
}

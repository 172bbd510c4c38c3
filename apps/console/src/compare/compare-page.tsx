import { Link, useSearchParams } from 'wouter';
import type { Run, Trace, VertexRecord } from '../api/answers';
import { useMayReadFlows, useSeesPayloads } from '../api/project';
import { useIsOwn, useRun, useRunRequest, useTrace } from '../api/queries';
import { inputOf } from '../runs/run-input';
import { originOf } from '../runs/run-origin';
import { useTitle } from '../shell/title';
import { DataTable } from '../ui/data-table';
import { between, cost, count, duration, exactTime, shortId } from '../ui/format';
import { ChevronLeft } from '../ui/icons';
import { Busy, Button, Card, Empty, ErrorNote, PageHead, State } from '../ui/parts';
import { TextDiff } from './text-diff';

/** Two runs side by side: what they got, did, returned, took and cost. */
export function ComparePage() {
  useTitle('Compare runs');
  const [parameters, setParameters] = useSearchParams();
  const ids = [parameters.get('one') ?? '', parameters.get('other') ?? ''] as const;
  const one = useRun(ids[0]);
  const other = useRun(ids[1]);
  const failed = [one, other].find(({ data, error }) => data === undefined && error !== null);
  return (
    <div className="page">
      <PageHead
        title="Compare runs"
        before={
          <Link href="/runs" className="crumb">
            <ChevronLeft size={14} /> Runs
          </Link>
        }
      >
        <Button onClick={() => setParameters({ one: ids[1], other: ids[0] }, { replace: true })}>
          Exchange sides
        </Button>
      </PageHead>
      {failed !== undefined && <ErrorNote error={failed.error} retry={() => void failed.refetch()} />}
      {failed === undefined && (one.data === undefined || other.data === undefined) && <Busy />}
      {one.data !== undefined && other.data !== undefined && <Compared one={one.data} other={other.data} />}
    </div>
  );
}

interface Pair {
  readonly one: Run;
  readonly other: Run;
}

function Compared({ one, other }: Pair) {
  const isSameFlow = one.flow_id === other.flow_id;
  const [hasVersions, seesPayloads] = [useMayReadFlows(), useSeesPayloads()];
  return (
    <>
      <Facts one={one} other={other} />
      {hasVersions && isSameFlow && one.flow_version !== other.flow_version && (
        <p>
          <Link href={`/flows/${one.flow_id}?tab=versions&from=${one.flow_version}&to=${other.flow_version}`}>
            What changed from version {one.flow_version} to {other.flow_version}
          </Link>
        </p>
      )}
      {seesPayloads ? (
        <Payloads one={one} other={other} />
      ) : (
        <p className="muted">Your role shows no inputs, outputs and vertices.</p>
      )}
    </>
  );
}

function Payloads({ one, other }: Pair) {
  const [left, right] = [useValues(one), useValues(other)];
  return (
    <>
      <Card title="Input">
        <TextDiff label="Input" one={left.input} other={right.input} />
      </Card>
      {left.request !== right.request && left.request !== '' && right.request !== '' && (
        <Card title="Request">
          <TextDiff label="Request" one={left.request} other={right.request} />
        </Card>
      )}
      {[...new Set([...left.outputs.keys(), ...right.outputs.keys()])].map((id) => (
        <Card key={id} title={`Output · ${left.outputs.get(id)?.name ?? right.outputs.get(id)?.name ?? id}`}>
          <TextDiff
            label="Output"
            one={left.outputs.get(id)?.text ?? ''}
            other={right.outputs.get(id)?.text ?? ''}
          />
        </Card>
      ))}
      <Card title="Vertices" flush>
        <Vertices one={left.trace} other={right.trace} />
      </Card>
    </>
  );
}

/** What the comparison shows of a run beside its record. */
function useValues(run: Run) {
  const request = useRunRequest(useIsOwn(run) ? run : undefined);
  const trace = useTrace(run).data;
  const outputs = run.result?.outputs?.flatMap((each) => each.outputs ?? []) ?? [];
  return {
    trace,
    input: inputOf(run, request.data, trace),
    // The id of the run differs in any case.
    request: request.data ? textOf({ ...request.data, run_id: undefined }) : '',
    outputs: new Map(
      outputs.map(({ component_id: id, component_display_name: name, results }) => [
        id,
        {
          name,
          text: Object.values(results ?? {})
            .map(textOf)
            .join('\n'),
        },
      ]),
    ),
  };
}

/** A value as a text of lines: its own text when it has one, else JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const text = (value as { text?: unknown } | null)?.text;
  return typeof text === 'string' ? text : JSON.stringify(value, null, 2);
}

interface Row {
  readonly name: string;
  readonly texts: readonly [string, string];
  /** Absent where a difference has no meaning. */
  readonly change?: string | undefined;
}

function Facts({ one, other }: Pair) {
  const text = (name: string, of: (run: Run) => string | number | undefined): Row => ({
    name,
    texts: [String(of(one) ?? '–'), String(of(other) ?? '–')],
  });
  const number = (
    name: string,
    of: (run: Run) => number | null | undefined,
    format: (value: number) => string,
  ) => numberRow(name, [of(one), of(other)], format);
  const rows: readonly Row[] = [
    text('Flow', (run) => run.flow_name ?? run.flow_id),
    text('Version', (run) => run.flow_version),
    text('Accepted', (run) => exactTime(run.accepted_at)),
    text('Origin', (run) => `${originOf(run)} · ${run.lane} · ${run.pool}`),
    text('Session', (run) => run.session_id),
    text('Attempt', (run) => run.attempt),
    number('Waited', (run) => between(run.accepted_at, run.started_at), duration),
    number('Duration', (run) => between(run.started_at, run.finished_at), duration),
    number('Model calls', (run) => run.usage?.model_calls, count),
    number('Tokens in', (run) => run.usage?.input_tokens, count),
    number('Tokens out', (run) => run.usage?.output_tokens, count),
    number('Cost', (run) => run.usage?.cost_usd, cost),
    ...(one.error || other.error ? [text('Error', (run) => run.error?.message ?? run.error?.code)] : []),
  ];
  return (
    <div className="table-wrap card">
      <table className="compared">
        <thead>
          <tr>
            <td />
            {[one, other].map((run) => (
              <th key={run.id} scope="col">
                <span className="row">
                  <Link className="mono" href={`/runs/${run.id}`}>
                    {shortId(run.id)}
                  </Link>
                  <State of={run.status} />
                </span>
              </th>
            ))}
            <th scope="col">Difference</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, texts: [left, right], change }) => (
            <tr key={name} className={left === right ? '' : 'changed'}>
              <th scope="row">{name}</th>
              <td dir="auto">{left}</td>
              <td dir="auto">{right}</td>
              <td>{change ?? (left === right ? '' : 'differs')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function numberRow(
  name: string,
  [one, other]: readonly [number | null | undefined, number | null | undefined],
  format: (value: number) => string,
): Row {
  const shown = (value: number | null | undefined) =>
    value === null || value === undefined ? '–' : format(value);
  return { name, texts: [shown(one), shown(other)], change: changeOf(one, other, format) };
}

/** `+1.2 s (+40 %)`; undefined unless both are known and differ. */
function changeOf(
  one: number | null | undefined,
  other: number | null | undefined,
  format: (value: number) => string,
): string | undefined {
  if (one === null || one === undefined || other === null || other === undefined || one === other)
    return undefined;
  const sign = other > one ? '+' : '−';
  const part = one === 0 ? '' : ` (${sign}${((100 * Math.abs(other - one)) / one).toFixed(0)} %)`;
  return `${sign}${format(Math.abs(other - one))}${part}`;
}

interface VertexPair {
  readonly id: string;
  readonly one: VertexRecord | undefined;
  readonly other: VertexRecord | undefined;
}

function Vertices({
  one,
  other,
}: {
  readonly one: Trace | null | undefined;
  readonly other: Trace | null | undefined;
}) {
  if (one === undefined || other === undefined) return <Busy />;
  if (one === null || other === null)
    return <Empty title="No records">At least one of the runs has no records of its vertices.</Empty>;
  const byId = (trace: Trace) => new Map(trace.vertices.map((vertex) => [vertex.id, vertex]));
  const [left, right] = [byId(one), byId(other)];
  const pairs = [...new Set([...left.keys(), ...right.keys()])].map((id): VertexPair => ({
    id,
    one: left.get(id),
    other: right.get(id),
  }));
  const tokens = (vertex: VertexRecord | undefined) =>
    vertex?.models.reduce((sum, model) => sum + model.input_tokens + model.output_tokens, 0);
  return (
    <DataTable
      isFlush
      rows={pairs}
      rowKey={({ id }) => id}
      columns={[
        {
          title: 'Vertex',
          cell: ({ id, one: first, other: second }) => (
            <span dir="auto">{first?.name ?? second?.name ?? id}</span>
          ),
        },
        { title: 'First', cell: ({ one: first }) => <State of={first?.state ?? 'absent'} />, isFixed: true },
        {
          title: 'Second',
          cell: ({ other: second }) => <State of={second?.state ?? 'absent'} />,
          isFixed: true,
        },
        {
          title: 'First time',
          isNumber: true,
          cell: ({ one: first }) => first && duration(first.milliseconds),
        },
        {
          title: 'Second time',
          isNumber: true,
          cell: ({ other: second }) => second && duration(second.milliseconds),
        },
        {
          title: 'Difference',
          isNumber: true,
          cell: ({ one: first, other: second }) =>
            changeOf(first?.milliseconds, second?.milliseconds, duration) ?? '',
        },
        {
          title: 'Tokens',
          isNumber: true,
          cell: ({ one: first, other: second }) =>
            (tokens(first) ?? 0) + (tokens(second) ?? 0) > 0 &&
            `${count(tokens(first) ?? 0)} · ${count(tokens(second) ?? 0)}`,
        },
      ]}
      detail={{ title: 'Values', render: (pair) => <Values {...pair} /> }}
    />
  );
}

function Values({ one, other }: VertexPair) {
  const names = (of: 'inputs' | 'outputs') => [
    ...new Set([...Object.keys(one?.[of] ?? {}), ...Object.keys(other?.[of] ?? {})]),
  ];
  const [inputs, outputs] = [names('inputs'), names('outputs')];
  if (inputs.length + outputs.length === 0) return <p className="muted">No values are kept.</p>;
  const part = (of: 'inputs' | 'outputs', shown: readonly string[]) =>
    shown.map((name) => {
      const [left, right] = [one?.[of]?.[name], other?.[of]?.[name]].map((value) =>
        value === undefined ? '' : textOf(value),
      );
      return (
        <div key={`${of} ${name}`} className="value-entry">
          <span className="value-name">{name}</span>
          <TextDiff label={name} one={left ?? ''} other={right ?? ''} />
        </div>
      );
    });
  return (
    <div className="stack">
      {part('inputs', inputs)}
      {outputs.length > 0 && <h3>Outputs</h3>}
      {part('outputs', outputs)}
    </div>
  );
}

import type { FlowNode, VertexRecord } from '../api/answers';
import { bytes, cost, count, duration } from '../ui/format';
import { X } from '../ui/icons';
import { Facts, IconButton, Note, State } from '../ui/parts';
import type { Fact } from '../ui/parts';
import { ValueView } from '../ui/value-view';
import { Calls, NotKept } from './calls';

export interface VertexPanelProps {
  readonly id: string;
  readonly node: FlowNode | undefined;
  readonly record: VertexRecord | undefined;
  /** An error that the run names for this vertex, when there is no record. */
  readonly error: string | undefined;
  /** The call to show. */
  readonly call?: number | undefined;
  readonly onClose: () => void;
}

/** What one vertex of a run received, did and returned. */
export function VertexPanel({ id, node, record, error, call, onClose }: VertexPanelProps) {
  const title = node?.data.node?.display_name ?? record?.name ?? id;
  const message = record?.error ?? error;
  return (
    <aside className="card panel" aria-label={`Vertex ${title}`}>
      <header>
        <h2 dir="auto">{title}</h2>
        {record !== undefined && <State of={record.state} />}
        <IconButton kind="plain" size="small" label="Close" onClick={onClose}>
          <X size={15} />
        </IconButton>
      </header>
      <div className="body stack">
        <p className="muted mono">{id}</p>
        {message && (
          <Note tone="bad">
            <p className="note-text" dir="auto">
              {message}
            </p>
          </Note>
        )}
        {record === undefined ? (
          <p className="muted">
            This vertex has no record: it did not run, or the run was not in the sample.
          </p>
        ) : (
          <Recorded record={record} call={call} />
        )}
      </div>
    </aside>
  );
}

function Recorded({ record, call }: { readonly record: VertexRecord; readonly call: number | undefined }) {
  return (
    <>
      <Facts of={factsOf(record)} />
      <Calls record={record} open={call} />
      {record.models.length > 0 && (
        <>
          <h3>Model usage</h3>
          <table>
            <thead>
              <tr>
                <th>Model</th>
                <th className="number">Calls</th>
                <th className="number">In</th>
                <th className="number">Out</th>
                <th className="number">Cost</th>
              </tr>
            </thead>
            <tbody>
              {record.models.map((model) => (
                <tr key={`${model.provider}/${model.model}`}>
                  <td>{model.model}</td>
                  <td className="number">{count(model.calls)}</td>
                  <td className="number">{count(model.input_tokens)}</td>
                  <td className="number">{count(model.output_tokens)}</td>
                  <td className="number">{cost(model.cost_usd)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
      <Values title="Inputs" values={record.inputs} />
      <Values title="Outputs" values={record.outputs} />
    </>
  );
}

function Values({
  title,
  values,
}: {
  readonly title: string;
  readonly values: Readonly<Record<string, unknown>> | null;
}) {
  const entries = Object.entries(values ?? {});
  return (
    <div className="stack">
      <h3>{title}</h3>
      {values === null && <NotKept />}
      {values !== null && entries.length === 0 && <p className="muted">None.</p>}
      {entries.map(([name, value]) => (
        <div key={name} className="value-entry">
          <span className="value-name">{name}</span>
          <ValueView value={value} label={name} />
        </div>
      ))}
    </div>
  );
}

function factsOf(record: VertexRecord): readonly Fact[] {
  return [
    { name: 'Time', value: duration(record.milliseconds) },
    { name: 'Began after', value: duration(record.start_milliseconds) },
    ...(record.executions > 1
      ? [
          { name: 'Executions', value: count(record.executions) },
          { name: 'Longest', value: duration(record.longest_milliseconds) },
        ]
      : []),
    ...(record.tool_calls > 0 ? [{ name: 'Tool calls', value: count(record.tool_calls) }] : []),
    { name: 'Input', value: bytes(record.input_bytes) },
    { name: 'Output', value: bytes(record.output_bytes) },
  ];
}

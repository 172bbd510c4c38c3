import { useMemo, useState } from 'react';
import type { FlowDocument, FlowField, FlowNode, FlowReport } from '../api/answers';
import { GraphFrame } from '../graph/graph-frame';
import { titleOf } from '../graph/vertices';
import type { Mark } from '../graph/vertices';
import { X } from '../ui/icons';
import { IconButton, Note, State, toneOf } from '../ui/parts';
import { AcceptStockCode } from './accept-stock-code';

export interface GraphTabProps {
  readonly flow: string;
  readonly document: FlowDocument;
  readonly report: FlowReport | undefined;
}

/** The graph of a flow with the verdict of each vertex; a click shows its fields. */
export function GraphTab({ flow, document, report }: GraphTabProps) {
  const [selected, setSelected] = useState<string>();
  const marks = useMemo(
    () =>
      new Map(
        (report?.vertices ?? []).map(({ id, status }): [string, Mark] => [
          id,
          { tone: toneOf(status), state: status },
        ]),
      ),
    [report],
  );
  const verdict = report?.vertices.find(({ id }) => id === selected);
  const node = document.nodes.find(({ id }) => id === selected);
  const problems = (report?.problems ?? []).filter(({ vertex_id: id }) => id === null || id === selected);
  const panel = node !== undefined && (
    <aside className="card panel" aria-label={`Vertex ${titleOf(node)}`}>
      <header>
        <h2 dir="auto">{titleOf(node)}</h2>
        {verdict !== undefined && <State of={verdict.status} />}
        <IconButton kind="plain" size="small" label="Close" onClick={() => setSelected(undefined)}>
          <X size={15} />
        </IconButton>
      </header>
      <div className="body stack">
        <p className="muted" dir="auto">
          {node.data.node?.description}
        </p>
        {verdict?.reason && <Note tone="warn">{verdict.reason}</Note>}
        {problems.map(({ message }, index) => (
          <Note key={index} tone="bad">
            {message}
          </Note>
        ))}
        <Fields node={node} />
        <Documentation node={node} />
      </div>
    </aside>
  );
  return (
    <>
      {report?.runnable === false && (
        <Note tone="bad" title="This flow cannot run here">
          <ul className="problems">
            {report.problems.map(({ message }, index) => (
              <li key={index} className="note-text" dir="auto">
                {message}
              </li>
            ))}
          </ul>
          <AcceptStockCode flow={flow} report={report} />
        </Note>
      )}
      <div className={`run-body ${selected === undefined ? '' : 'with-panel'}`}>
        <section className="card">
          <GraphFrame
            document={document}
            marks={marks}
            selected={selected}
            onSelect={setSelected}
            panel={panel}
            isTall
          />
        </section>
        {panel}
      </div>
    </>
  );
}

/** Only web addresses become links: a flow is written by others. */
function Documentation({ node }: { readonly node: FlowNode }) {
  const address = node.data.node?.documentation ?? '';
  if (!/^https:\/\//.test(address)) return null;
  return (
    <a href={address} target="_blank" rel="noreferrer noopener">
      Documentation of the component
    </a>
  );
}

function Fields({ node }: { readonly node: FlowNode }) {
  const fields = Object.entries(node.data.node?.template ?? {}).filter(
    (entry): entry is [string, FlowField] =>
      typeof entry[1] === 'object' && entry[0] !== 'code' && entry[1].show !== false,
  );
  return (
    <dl className="fields">
      <div>
        <dt>Id</dt>
        <dd className="mono">{node.id}</dd>
      </div>
      {fields.map(([name, field]) => (
        <div key={name}>
          <dt title={field.info}>
            {field.display_name ?? name}
            {field.required && <span className="muted"> · required</span>}
          </dt>
          <dd className={field.multiline ? 'note-text' : ''} dir="auto">
            {shownValue(field)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function shownValue({ value, password = false }: FlowField): string {
  if (password) return value ? '••••••' : '–';
  if (value === undefined || value === null || value === '') return '–';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}

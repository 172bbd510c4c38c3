import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client';
import type { Schemas } from '../api/answers';
import { Busy, Card, Empty, ErrorNote } from '../ui/parts';

type FieldChange = Schemas['ChangedField'];
type Wire = Schemas['ChangedEdge'];

/** What differs between two versions: vertices, their fields, and edges. */
export function VersionDiff({
  flow,
  from,
  to,
}: {
  readonly flow: string;
  readonly from: number;
  readonly to: number;
}) {
  const diff = useQuery({
    queryKey: ['diff', flow, from, to],
    queryFn: ({ signal }) =>
      call<Schemas['FlowVersionDiff']>(`/api/v1/flows/${flow}/versions/${from}/diff?to=${to}`, { signal }),
  });
  if (diff.isPending) return <Busy />;
  if (diff.error !== null) return <ErrorNote error={diff.error} />;
  const { vertices, edges } = diff.data;
  const isEmpty = [vertices.added, vertices.removed, vertices.changed, edges.added, edges.removed].every(
    ({ length }) => length === 0,
  );
  return (
    <Card title={`From version ${from} to ${to}`}>
      {isEmpty && <Empty title="The same">Positions are not compared.</Empty>}
      <ul className="diff">
        {vertices.removed.map((vertex) => (
          <Line key={vertex.id} sign="−" text={`${vertex.display_name} (${vertex.type})`} />
        ))}
        {vertices.added.map((vertex) => (
          <Line key={vertex.id} sign="+" text={`${vertex.display_name} (${vertex.type})`} />
        ))}
        {vertices.changed.map((vertex) => (
          <li key={vertex.id}>
            <strong dir="auto">{vertex.display_name}</strong>{' '}
            {vertex.members.length > 0 && <span className="muted">{vertex.members.join(', ')} changed</span>}
            {vertex.fields.length > 0 && (
              <ul>
                {vertex.fields.map((field) => (
                  <Field key={field.name} field={field} />
                ))}
              </ul>
            )}
          </li>
        ))}
        {edges.removed.map((wire, index) => (
          <Line key={index} sign="−" text={wireText(wire)} />
        ))}
        {edges.added.map((wire, index) => (
          <Line key={index} sign="+" text={wireText(wire)} />
        ))}
      </ul>
    </Card>
  );
}

const wireText = ({ source, output, target, input }: Wire): string =>
  `${source}${output === null ? '' : `.${output}`} → ${target}${input === null ? '' : `.${input}`}`;

function Line({ sign, text }: { readonly sign: '+' | '−'; readonly text: string }) {
  return (
    <li className={sign === '+' ? 'diff-added' : 'diff-removed'}>
      <span aria-hidden>{sign}</span>{' '}
      <span className="visually-hidden">{sign === '+' ? 'added' : 'removed'}</span>
      <span className="mono" dir="auto">
        {text}
      </span>
    </li>
  );
}

function Field({ field: { name, before, after, secret } }: { readonly field: FieldChange }) {
  if (secret)
    return (
      <li>
        {name}: <span className="muted">a secret value, which is not shown</span>
      </li>
    );
  return (
    <li>
      {name}
      <ul>
        <Line sign="−" text={shown(before)} />
        <Line sign="+" text={shown(after)} />
      </ul>
    </li>
  );
}

const shown = (value: unknown): string =>
  value === undefined || value === null
    ? '(none)'
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

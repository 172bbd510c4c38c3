import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { DataTable } from '../ui/data-table';
import type { Column } from '../ui/data-table';
import { cost, count, duration, interval, plural, utcDay } from '../ui/format';
import { Busy, Button, Card, ErrorNote } from '../ui/parts';
import { lengthOf } from './period';
import { useUsage } from './queries';
import type { Scope } from './queries';
import { runsPath } from './runs-path';
import type { RunsOf } from './runs-path';
import { DIMENSIONS, FIGURES, groupOf, isDeleted, isTime, nameOf, sumOf } from './usage';
import type { Dimension, FigureName, UsageRow } from './usage';

const SHOWN = 100;

export interface UsageTableProps {
  readonly scope: Scope;
  readonly by: Dimension;
  readonly figure: FigureName;
  /** The sums of each interval. */
  readonly all: readonly UsageRow[];
}

/** The groups with all of their figures, those with most of the chosen one first. */
export function UsageTable({ scope, by, figure, all }: UsageTableProps) {
  const groups = useUsage(scope, { by }, !isTime(by));
  const [isWhole, setWhole] = useState(false);
  const found = isTime(by) ? all : groups.data?.rows;
  const rows = useMemo(() => {
    const { of } = FIGURES[figure];
    return [...(found ?? [])].sort((one, other) => of(other) - of(one));
  }, [found, figure]);
  if (!isTime(by) && groups.error !== null)
    return <ErrorNote error={groups.error} retry={() => void groups.refetch()} />;
  if (found === undefined) return <Busy />;
  const shown = isWhole ? rows : rows.slice(0, SHOWN);
  return (
    <Card title={`${DIMENSIONS[by]}s`} flush>
      <DataTable
        isFlush
        rows={shown}
        rowKey={(row) => groupOf(row, by)}
        empty={<p className="body muted">No run of this time called a model.</p>}
        columns={columnsOf(scope, by, figure, rows)}
        {...(hasFlows(by)
          ? {
              detail: {
                title: 'Flows',
                render: (row: UsageRow) => <FlowsOf scope={scope} by={by} row={row} figure={figure} />,
              },
            }
          : {})}
      />
      <Foot by={by} isComplete={isTime(by) || groups.data?.complete !== false} />
      {rows.length > shown.length && (
        <div className="row center">
          <Button onClick={() => setWhole(true)}>Show all {count(rows.length)}</Button>
        </div>
      )}
    </Card>
  );
}

/** A row of these opens its flows, which have their runs. A list of runs selects by key only runs stored before they start. */
const hasFlows = (by: Dimension): by is 'project' | 'key' | 'model' =>
  by === 'project' || by === 'key' || by === 'model';

function Foot({ by, isComplete }: { readonly by: Dimension; readonly isComplete: boolean }) {
  const notes = [
    by === 'model'
      ? 'A run counts once for each of its models; runs without calls of models are left out.'
      : '',
    isComplete ? '' : 'Only the rows with the most runs are here. Choose a shorter time for the others.',
  ].filter(Boolean);
  return notes.length === 0 ? null : <p className="body muted small">{notes.join(' ')}</p>;
}

/** The flows of a project, of a key or of a model, each with its runs. */
function FlowsOf({ scope, by, row, figure }: Omit<UsageTableProps, 'all' | 'by'> & FlowsOfRow) {
  const { of } = FIGURES[figure];
  const flows = useUsage(scope, { by: `${by},flow` });
  if (flows.error !== null) return <ErrorNote error={flows.error} retry={() => void flows.refetch()} />;
  if (flows.data === undefined) return <Busy />;
  const rows = flows.data.rows
    .filter((each) => groupOf(each, by) === groupOf(row, by))
    .sort((one, other) => of(other) - of(one));
  return (
    <DataTable
      isFlush
      rows={rows}
      rowKey={({ flow_id: id }) => id ?? ''}
      columns={columnsOf(scope, 'flow', figure, rows)}
    />
  );
}

interface FlowsOfRow {
  readonly by: 'project' | 'key' | 'model';
  readonly row: UsageRow;
}

function columnsOf(
  scope: Scope,
  by: Dimension,
  figure: FigureName,
  rows: readonly UsageRow[],
): readonly Column<UsageRow>[] {
  const { of } = FIGURES[figure];
  const whole = sumOf(rows, of);
  const listed = runsOf(scope, by);
  return [
    { title: DIMENSIONS[by], cell: (row) => <Name row={row} by={by} isOfAllUsers={scope.isOfAllUsers} /> },
    { title: 'Share', cell: (row) => <Share of={of(row)} whole={whole} />, isFixed: true },
    {
      title: 'Runs',
      cell: (row) => {
        const path = listed(row);
        if (path === undefined) return count(row.runs);
        return (
          <Link href={path} title="These runs, by the time of their acceptance">
            {count(row.runs)}
          </Link>
        );
      },
      isNumber: true,
      isFixed: true,
    },
    {
      title: 'Failures',
      cell: ({ failures, runs }) =>
        failures === 0 ? '0' : `${count(failures)} · ${((100 * failures) / runs).toFixed(1)} %`,
      isNumber: true,
      isFixed: true,
    },
    { title: 'Model calls', cell: (row) => count(row.model_calls), isNumber: true, isFixed: true },
    { title: 'Tokens', cell: (row) => count(FIGURES.tokens.of(row)), isNumber: true, isFixed: true },
    {
      title: 'Cost',
      cell: ({ cost_usd: dollars, unpriced_calls: unpriced }) => (
        <span title={unpriced === 0 ? undefined : `${plural(unpriced, 'call')} without a price`}>
          {cost(dollars)}
          {unpriced > 0 && ' +'}
        </span>
      ),
      isNumber: true,
      isFixed: true,
    },
    { title: 'Waiting', cell: (row) => duration(row.waiting_milliseconds), isNumber: true, isFixed: true },
    { title: 'Running', cell: (row) => duration(row.running_milliseconds), isNumber: true, isFixed: true },
  ];
}

/** Returns the address of the runs that a row counts; undefined where a list cannot select them. */
function runsOf(scope: Scope, by: Dimension): (row: UsageRow) => string | undefined {
  return (row) => {
    if (by === 'key' || isDeleted(row, by)) return undefined;
    // The sum of the models after a user's first ones of an hour.
    if (by === 'model' && row.provider === 'other') return undefined;
    const start = Date.parse(row.start ?? '');
    const of: Readonly<Record<string, RunsOf>> = {
      flow: { flow: row.flow_id },
      project: { project: row.project_id, user: scope.isOfAllUsers ? row.user_id : null },
      user: { user: row.user_id },
      pool: { pool: row.pool },
      model: { model: row.model },
      day: { from: start, before: start + lengthOf('day') },
      hour: { from: start, before: start + lengthOf('hour') },
    };
    return runsPath(scope, of[by] ?? {});
  };
}

interface NameProps {
  readonly row: UsageRow;
  readonly by: Dimension;
  readonly isOfAllUsers: boolean;
}

function Name({ row, by, isOfAllUsers }: NameProps) {
  if (isTime(by)) {
    const start = Date.parse(row.start ?? '');
    return <span>{by === 'day' ? utcDay(start) : interval(start, start + lengthOf(by))}</span>;
  }
  const owner = isOfAllUsers && by !== 'user' ? row.username : null;
  const provider = by === 'model' ? row.provider : null;
  return (
    <div>
      <span dir="auto">{nameOf(row, by)}</span>
      {(owner ?? provider) !== null && (
        <div className="muted small" dir="auto">
          {owner ?? provider}
        </div>
      )}
    </div>
  );
}

function Share({ of, whole }: { readonly of: number; readonly whole: number }) {
  const share = whole === 0 ? 0 : of / whole;
  return (
    <span className="load">
      <span className="load-track" aria-hidden>
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span className="muted">{(100 * share).toFixed(0)} %</span>
    </span>
  );
}

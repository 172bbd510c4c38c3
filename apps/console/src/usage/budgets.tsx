import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client';
import { useFlows, useProjectNames, useUserNames } from '../api/queries';
import { every, timed } from '../api/polling';
import { useMay } from '../api/session';
import type { Schemas } from '../api/answers';
import { titleOf } from '../flows/settings-schema';
import { DataTable } from '../ui/data-table';
import { cost, count } from '../ui/format';
import { Button, Card, ErrorNote } from '../ui/parts';
import { LIMITS, LimitsDialog } from './limits';
import type { Limited } from './limits';

const POLL_MILLISECONDS = 60_000;

type Period = 'day' | 'month';
type Unit = 'dollars' | 'tokens';

type Listed = Schemas['ListedLimits'];

/** What is spent of a budget in a period; nothing for limits without such a budget. */
interface Row {
  readonly of: Listed;
  readonly period?: Period;
  readonly unit?: Unit;
  readonly limit?: number;
  readonly spent?: number;
  readonly reserved?: number;
}

const SCOPES = { key: 'Key', user: 'User', project: 'Project', flow: 'Flow' } as const;

/** What limits the user, and what is spent of the budgets today and this month; a form changes them. */
export function Budgets() {
  const mayManage = useMay('manage');
  const isAdmin = useMay('admin');
  const [open, setOpen] = useState<Limited>();
  const found = useQuery({
    queryKey: LIMITS,
    enabled: mayManage,
    queryFn: timed(({ signal }) => call<{ limits: Listed[] }>('/api/v1/limits', { signal })),
    refetchInterval: every(POLL_MILLISECONDS),
  });
  if (found.error !== null) return <ErrorNote error={found.error} retry={() => void found.refetch()} />;
  if (found.data === undefined) return null;
  return (
    <Card title="Budgets and limits" flush actions={<Choice onChoose={setOpen} />}>
      <DataTable
        isFlush
        rows={found.data.limits.flatMap(rowsOf)}
        rowKey={({ of, period, unit }) => `${of.scope} ${of.id} ${period} ${unit}`}
        empty={<p className="body muted small">Nothing is limited.</p>}
        columns={[
          { title: 'Of', cell: (row) => <Name row={row} /> },
          {
            title: 'Period',
            cell: ({ period }) => (period === undefined ? '–' : period === 'day' ? 'Today' : 'This month'),
          },
          { title: 'Spent', cell: (row) => text(row, row.spent), isNumber: true, isFixed: true },
          { title: 'Reserved', cell: (row) => text(row, row.reserved), isNumber: true, isFixed: true },
          { title: 'Left', cell: (row) => text(row, leftOf(row)), isNumber: true, isFixed: true },
          { title: 'Budget', cell: (row) => text(row, row.limit), isNumber: true, isFixed: true },
          {
            title: '',
            cell: ({ of }) =>
              (of.scope !== 'user' || isAdmin) && (
                <span className="row end">
                  <Button size="small" aria-label={`Edit ${of.name || of.id}`} onClick={() => setOpen(of)}>
                    Edit
                  </Button>
                </span>
              ),
          },
        ]}
      />
      {open !== undefined && <LimitsDialog key={open.id} of={open} onClose={() => setOpen(undefined)} />}
    </Card>
  );
}

/** Opens the limits of a project, flow or user that has none yet, too. */
function Choice({ onChoose }: { readonly onChoose: (chosen: Limited) => void }) {
  const flows = useFlows().data ?? [];
  const projects = useProjectNames();
  const users = useUserNames(useMay('admin'));
  const groups: readonly (readonly [title: string, Limited['scope'], (readonly [string, string])[]])[] = [
    ['Projects', 'project', [...projects]],
    ['Flows', 'flow', flows.map(({ id, name }) => [id, name] as const)],
    ['Users', 'user', [...users]],
  ];
  return (
    <select
      className="input narrow"
      aria-label="Limit a project, flow or user"
      value=""
      onChange={({ target }) => {
        const [scope, id] = target.value.split(' ') as [Limited['scope'], string];
        const all = groups.find(([, each]) => each === scope)?.[2] ?? [];
        onChoose({ scope, id, name: new Map(all).get(id) ?? null });
      }}
    >
      <option value="" disabled>
        Set limits of…
      </option>
      {groups.map(
        ([title, scope, all]) =>
          all.length > 0 && (
            <optgroup key={scope} label={title}>
              {all.map(([id, name]) => (
                <option key={id} value={`${scope} ${id}`}>
                  {name}
                </option>
              ))}
            </optgroup>
          ),
      )}
    </select>
  );
}

function Name({ row: { of } }: { readonly row: Row }) {
  return (
    <div>
      <span dir="auto">{of.name || of.id}</span>
      <div className="muted small">{[SCOPES[of.scope], ...limitsOf(of)].join(' · ')}</div>
    </div>
  );
}

const OF_PERIODS = /^(dollars|tokens)_per_(day|month)$/;

/** The limits beside the budgets of days and months, in words. */
const limitsOf = (of: Listed): readonly string[] =>
  Object.entries({ ...of, ...of.budget }).flatMap(([name, value]) =>
    typeof value !== 'number' || OF_PERIODS.test(name)
      ? []
      : [`${titleOf(name).toLowerCase()} ${Number.isInteger(value) ? count(value) : value}`],
  );

function rowsOf(of: Listed): readonly Row[] {
  const { budget, spend } = of;
  const periods: readonly Period[] = ['day', 'month'];
  const units: readonly Unit[] = ['dollars', 'tokens'];
  const rows = periods.flatMap((period) =>
    units.flatMap((unit): readonly Row[] => {
      const limit = budget?.[`${unit}_per_${period}`] ?? null;
      if (limit === null || spend === null) return [];
      const row = { of, period, unit, limit };
      return [{ ...row, spent: spend[period][unit], reserved: spend[period][`reserved_${unit}`] }];
    }),
  );
  return rows.length > 0 ? rows : [{ of }];
}

const leftOf = ({ limit, spent = 0, reserved = 0 }: Row): number | undefined =>
  limit === undefined ? undefined : Math.max(0, limit - spent - reserved);

function text({ unit }: Row, amount: number | undefined): string {
  if (amount === undefined) return '–';
  return unit === 'dollars' ? cost(amount) : `${count(amount)} tokens`;
}

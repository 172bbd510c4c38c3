import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client';
import { every, timed } from '../api/polling';
import { useMay } from '../api/session';
import type { Schemas } from '../api/answers';
import { DataTable } from '../ui/data-table';
import { cost, count } from '../ui/format';
import { Card, ErrorNote } from '../ui/parts';

const POLL_MILLISECONDS = 60_000;

type Period = 'day' | 'month';
type Unit = 'dollars' | 'tokens';

type Limited = Schemas['ListedLimits'];

interface BudgetRow {
  readonly of: Limited;
  readonly period: Period;
  readonly unit: Unit;
  readonly limit: number;
  readonly spent: number;
  readonly reserved: number;
}

const SCOPES = { key: 'Key', user: 'User', project: 'Project', flow: 'Flow' } as const;

/** What is spent of the budgets of the user, today and this month; nothing where there are none. */
export function Budgets() {
  const mayRead = useMay('manage');
  const found = useQuery({
    queryKey: ['limits'],
    enabled: mayRead,
    queryFn: timed(({ signal }) => call<{ limits: Limited[] }>('/api/v1/limits', { signal })),
    refetchInterval: every(POLL_MILLISECONDS),
  });
  if (found.error !== null) return <ErrorNote error={found.error} retry={() => void found.refetch()} />;
  const rows = (found.data?.limits ?? []).flatMap(budgetsOf);
  if (rows.length === 0) return null;
  return (
    <Card title="Budgets" flush>
      <DataTable
        isFlush
        rows={rows}
        rowKey={({ of, period, unit }) => `${of.scope} ${of.id} ${period} ${unit}`}
        columns={[
          { title: 'Of', cell: (row) => <Name row={row} /> },
          { title: 'Period', cell: ({ period }) => (period === 'day' ? 'Today' : 'This month') },
          { title: 'Spent', cell: (row) => text(row, row.spent), isNumber: true, isFixed: true },
          { title: 'Reserved', cell: (row) => text(row, row.reserved), isNumber: true, isFixed: true },
          {
            title: 'Left',
            cell: (row) => text(row, Math.max(0, row.limit - row.spent - row.reserved)),
            isNumber: true,
            isFixed: true,
          },
          { title: 'Budget', cell: (row) => text(row, row.limit), isNumber: true, isFixed: true },
        ]}
      />
    </Card>
  );
}

function Name({ row: { of } }: { readonly row: BudgetRow }) {
  return (
    <div>
      <span dir="auto">{of.name || of.id}</span>
      <div className="muted small">{SCOPES[of.scope]}</div>
    </div>
  );
}

function budgetsOf(of: Limited): readonly BudgetRow[] {
  const { budget, spend } = of;
  if (budget === null || spend === null) return [];
  const periods: readonly Period[] = ['day', 'month'];
  const units: readonly Unit[] = ['dollars', 'tokens'];
  return periods.flatMap((period) =>
    units.flatMap((unit): readonly BudgetRow[] => {
      const limit = budget[`${unit}_per_${period}`];
      if (limit === null) return [];
      const row = { of, period, unit, limit };
      return [{ ...row, spent: spend[period][unit], reserved: spend[period][`reserved_${unit}`] }];
    }),
  );
}

const text = ({ unit }: BudgetRow, amount: number): string =>
  unit === 'dollars' ? cost(amount) : `${count(amount)} tokens`;

import { Suspense, lazy, useMemo } from 'react';
import { useLocation } from 'wouter';
import type { Series } from '../ui/chart';
import { Legend } from '../ui/legend';
import { plural } from '../ui/format';
import { Busy, Card } from '../ui/parts';
import { lengthOf, startsOf } from './period';
import { useUsage } from './queries';
import type { Scope } from './queries';
import { runsPath } from './runs-path';
import { DIMENSIONS, FIGURES, groupOf, isTime, nameOf, sumOf } from './usage';
import type { Dimension, Figure, FigureName, UsageRow } from './usage';

const Chart = lazy(() => import('../ui/chart'));

/** The groups that have a color of their own; the others are one series. */
const COLORS = ['--series-1', '--series-2', '--series-3', '--series-4', '--series-5'];
const OTHER = '--line-strong';

export interface UsageChartProps {
  readonly scope: Scope;
  readonly by: Dimension;
  readonly figure: FigureName;
  /** The sums of each interval. */
  readonly all: readonly UsageRow[];
}

/** The chosen figure over time, by the groups that have most of it. */
export function UsageChart({ scope, by, figure: name, all }: UsageChartProps) {
  const [, navigate] = useLocation();
  const figure = FIGURES[name];
  const interval = isTime(by) ? by : scope.period.interval;
  const groups = useUsage(scope, { by, interval }, !isTime(by));
  const starts = useMemo(() => startsOf(scope.period, interval), [scope.period, interval]);
  const times = useMemo(() => starts.map((start) => start / 1_000), [starts]);
  // A report that is cut lacks the last intervals.
  const rows = groups.data?.complete === true ? groups.data.rows : undefined;
  const series = useMemo(
    () =>
      isTime(by) || rows === undefined
        ? [seriesOf(all, starts, { title: figure.title, color: COLORS[0] ?? '', of: figure.of })]
        : stackOf(rows, starts, by, figure),
    [all, rows, starts, by, figure],
  );
  const title = isTime(by) || rows === undefined ? figure.title : `${figure.title} by ${by}`;
  const open = (index: number) => {
    const start = starts[index];
    if (start === undefined) return;
    navigate(runsPath(scope, { from: start, before: start + lengthOf(interval) }));
  };
  if (!isTime(by) && groups.isPending) return <Busy />;
  return (
    <Card title={title} actions={series.length > 1 && <Legend of={series} />}>
      <Suspense fallback={<Busy />}>
        <Chart
          label={`${title}, for each ${DIMENSIONS[interval].toLowerCase()}: ${figure.text(sumOf(all, figure.of))} in all`}
          times={times}
          series={series}
          isStacked
          format={figure.text}
          onOpen={open}
        />
      </Suspense>
    </Card>
  );
}

type SeriesHead = Pick<Series, 'title' | 'color'> & Pick<Figure, 'of'>;

/** The values at each start; intervals without rows have none of the figure. */
function seriesOf(
  rows: readonly UsageRow[],
  starts: readonly number[],
  { title, color, of }: SeriesHead,
): Series {
  const sums = new Map<number, number>();
  for (const row of rows) {
    const start = Date.parse(row.start ?? '');
    sums.set(start, (sums.get(start) ?? 0) + of(row));
  }
  return { title, color, values: starts.map((start) => sums.get(start) ?? 0) };
}

function stackOf(
  rows: readonly UsageRow[],
  starts: readonly number[],
  by: Exclude<Dimension, 'day' | 'hour'>,
  { of }: Figure,
): readonly Series[] {
  const groups = new Map<string, UsageRow[]>();
  for (const row of rows) {
    const group = groupOf(row, by);
    const others = groups.get(group);
    if (others === undefined) groups.set(group, [row]);
    else others.push(row);
  }
  const ranked = [...groups.values()].sort((one, other) => sumOf(other, of) - sumOf(one, of));
  const shown = ranked.slice(0, COLORS.length);
  const others = ranked.slice(COLORS.length);
  return [
    ...shown.map((group, index) =>
      seriesOf(group, starts, { title: titleOf(group, by), color: COLORS[index] ?? OTHER, of }),
    ),
    ...(others.length === 0
      ? []
      : [seriesOf(others.flat(), starts, { title: plural(others.length, 'other'), color: OTHER, of })]),
  ];
}

const titleOf = ([first]: readonly UsageRow[], by: Exclude<Dimension, 'day' | 'hour'>): string =>
  first === undefined ? '' : nameOf(first, by);

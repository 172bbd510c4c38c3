import { cost, count, duration, shortId } from '../ui/format';
import type { Schemas } from '../api/answers';

/** A row of the API's report. What it is not summed by is null. */
export type UsageRow = UsageReport['rows'][number];

export type UsageReport = Schemas['UsageReport'];

export interface Figure {
  readonly title: string;
  readonly of: (row: UsageRow) => number;
  readonly text: (value: number) => string;
}

const whole = (value: number): string => (Number.isInteger(value) ? count(value) : '');

/** What is charted and sorted by. */
export const FIGURES = {
  runs: { title: 'Runs', of: ({ runs }) => runs, text: whole },
  failures: { title: 'Failures', of: ({ failures }) => failures, text: whole },
  tokens: {
    title: 'Tokens',
    of: ({ input_tokens: input, output_tokens: output }) => input + output,
    text: whole,
  },
  cost: { title: 'Cost', of: ({ cost_usd: dollars }) => dollars, text: cost },
  waiting: { title: 'Waiting', of: (row) => row.waiting_milliseconds, text: duration },
  running: { title: 'Running', of: (row) => row.running_milliseconds, text: duration },
} as const satisfies Readonly<Record<string, Figure>>;

export type FigureName = keyof typeof FIGURES;
export const figureNames = Object.keys(FIGURES) as readonly FigureName[];

/** What the rows are of. */
export const DIMENSIONS = {
  flow: 'Flow',
  project: 'Project',
  user: 'User',
  key: 'Key',
  model: 'Model',
  pool: 'Pool',
  day: 'Day',
  hour: 'Hour',
} as const;

export type Dimension = keyof typeof DIMENSIONS;
export const dimensionNames = Object.keys(DIMENSIONS) as readonly Dimension[];

export const isTime = (by: Dimension): by is 'day' | 'hour' => by === 'day' || by === 'hour';

/** Tells the groups of one dimension apart. */
export function groupOf(row: UsageRow, by: Dimension): string {
  const parts: Readonly<Record<Dimension, readonly (string | null)[]>> = {
    flow: [row.flow_id],
    project: [row.user_id, row.project_id],
    user: [row.user_id],
    key: [row.user_id, row.key_id],
    model: [row.provider, row.model],
    pool: [row.pool],
    day: [row.start],
    hour: [row.start],
  };
  return parts[by].join(' ');
}

/** What people call the group of a row. Counts outlive what they are of: the id of what was deleted stays. */
export function nameOf(row: UsageRow, by: Exclude<Dimension, 'day' | 'hour'>): string {
  const named = (what: string, id: string | null, name: string | null) =>
    name ?? `Deleted ${what} ${shortId(id ?? '')}`;
  switch (by) {
    case 'flow':
      return named('flow', row.flow_id, row.flow_name);
    case 'project':
      return row.project_id === null
        ? 'No project: deleted flows'
        : named('project', row.project_id, row.project_name);
    case 'user':
      return named('user', row.user_id, row.username);
    case 'key':
      return row.key_id === null
        ? 'No key: schedules, queues, webhooks'
        : row.key_name === ''
          ? `Key ${shortId(row.key_id)} without a name`
          : named('key', row.key_id, row.key_name);
    case 'model':
      return row.model ?? '';
    case 'pool':
      return row.pool ?? '';
  }
}

/** Whether the group of a row is deleted, and its runs with it. */
export const isDeleted = (row: UsageRow, by: Dimension): boolean =>
  (by === 'flow' && row.flow_name === null) || (by === 'project' && row.project_name === null);

/** The sum of all rows. */
export const sumOf = (rows: readonly UsageRow[], of: (row: UsageRow) => number): number =>
  rows.reduce((sum, row) => sum + of(row), 0);

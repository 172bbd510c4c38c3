import { useQuery } from '@tanstack/react-query';
import { call, open, query } from '../api/client';
import { every, timed } from '../api/polling';
import { isTime } from './usage';
import type { Dimension, UsageReport } from './usage';
import type { Interval, Period } from './period';

const POLL_MILLISECONDS = 60_000;
/** Rows of a table, and of a chart by groups; a report with more is not complete. */
const MAXIMUM_ROWS = 4_000;
const MAXIMUM_CSV_ROWS = 10_000;

/** Whose usage is summed over which time. */
export interface Scope {
  readonly period: Period;
  readonly flow: string;
  readonly user: string;
  readonly isOfAllUsers: boolean;
}

interface Wanted {
  readonly by?: string;
  readonly interval?: Interval;
}

const pathOf = ({ period, flow, user, isOfAllUsers }: Scope, wanted: Wanted & { readonly format?: 'csv' }) =>
  `/api/v1/usage${query({
    ...wanted,
    from: new Date(period.from).toISOString(),
    before: new Date(period.before).toISOString(),
    flow_id: flow,
    user_id: user,
    all_users: isOfAllUsers,
    limit: wanted.format === undefined ? MAXIMUM_ROWS : MAXIMUM_CSV_ROWS,
  })}`;

/** The sums of some time. */
export function useUsage(scope: Scope, wanted: Wanted, isEnabled = true) {
  const path = pathOf(scope, wanted);
  return useQuery({
    queryKey: ['usage', path],
    enabled: isEnabled,
    queryFn: timed(({ signal }) => call<UsageReport>(path, { signal })),
    refetchInterval: every(POLL_MILLISECONDS),
  });
}

/** Saves the table as a file. */
export async function saveCsv(scope: Scope, by: Dimension): Promise<void> {
  const answer = await open(pathOf(scope, { ...(isTime(by) ? { interval: by } : { by }), format: 'csv' }));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await answer.blob());
  link.download = `usage-by-${by}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}

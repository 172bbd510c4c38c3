import { query } from '../api/client';
import type { Scope } from './queries';

export interface RunsOf {
  readonly from?: number;
  readonly before?: number;
  readonly flow?: string | null;
  readonly project?: string | null;
  readonly user?: string | null;
  readonly pool?: string | null;
  readonly model?: string | null;
}

/** The list of the runs that a part of the usage counts. */
export const runsPath = (
  { period, flow: ofFlow, user: ofUser, isOfAllUsers }: Scope,
  { from = period.from, before = period.before, flow, project, user, pool, model }: RunsOf,
): string =>
  `/runs${query({
    flow: flow ?? ofFlow,
    project,
    pool,
    model,
    from: new Date(from).toISOString(),
    before: new Date(before).toISOString(),
    user: user ?? ofUser,
    all: isOfAllUsers && !user ? '1' : '',
  })}`;

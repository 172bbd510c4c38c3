import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { call, query } from './client';
import { every, timed } from './polling';
import { projectId } from './project-path';
import { hasEnded } from './queries';
import { useMay } from './session';
import type { Run, Schemas } from './answers';

/** Why a run waits: a reason with its number or time. */
export type WaitingReason = Schemas['WaitingReason'];

const POLL_MILLISECONDS = 3_000;
/** More ids are not asked for at once. */
const MAXIMUM_IDS = 100;

/** Why a run waits; of an ended run, why its callback does. Null for a run that does not. */
export function useWaiting(run: Run) {
  const isAdmin = useMay('admin');
  return useQuery({
    queryKey: ['waiting', run.id, run.status, run.attempt],
    enabled: run.status !== 'running',
    queryFn: async ({ signal }) =>
      (
        await call<Schemas['WaitingRun']>(`/api/v1/runs/${run.id}/waiting${query({ all_users: isAdmin })}`, {
          signal,
        })
      ).waiting,
    refetchInterval: ({ state }) => (hasEnded(run) && !state.data ? false : POLL_MILLISECONDS),
  });
}

const WAITS = new Set(['accepted', 'queued', 'suspended']);

/** Whether a run has not begun, or asks a person. */
export const waits = ({ status }: Pick<Run, 'status'>): boolean => WAITS.has(status);

/** Why the runs of a list wait, by their ids: one question for all that are shown, however the list changes. */
export function useWaitingOf(
  runs: readonly Run[],
  isOfAllUsers: boolean,
  /** Which list it is, when a page has several. */
  list = '',
): ReadonlyMap<string, WaitingReason> {
  const ids = runs.filter(waits).map(({ id }) => id);
  const asked = useRef<readonly string[]>([]);
  useEffect(() => {
    asked.current = ids.slice(0, MAXIMUM_IDS);
  });
  const { data } = useQuery({
    queryKey: ['waiting-runs', isOfAllUsers, list],
    // A member asks about one run at a time, on its page.
    enabled: ids.length > 0 && projectId === undefined,
    queryFn: timed(async ({ signal }) => {
      const parameters = query({ ids: asked.current.join(','), all_users: isOfAllUsers });
      const { runs: found } = await call<Schemas['WaitingRuns']>(`/api/v1/runs/waiting${parameters}`, {
        signal,
      });
      return new Map(found.flatMap(({ run_id: id, waiting }) => (waiting === null ? [] : [[id, waiting]])));
    }),
    refetchInterval: every(POLL_MILLISECONDS),
    retry: 0,
  });
  return ids.length === 0 ? NONE : (data ?? NONE);
}

const NONE: ReadonlyMap<string, WaitingReason> = new Map();

import { QueryClient, keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ApiError, call, query } from './client';
import { every, timed } from './polling';
import { useMayReadFlows, useSeesPayloads } from './project';
import { projectId } from './project-path';
import { useMay, useSession } from './session';
import { readUsers } from './read-users';
import type {
  FlowSummary,
  FlowVersion,
  Run,
  RunAttempt,
  RunLogLine,
  RunPage,
  RunRequest,
  Schemas,
  Trace,
} from './answers';

/** Answers of 4xx stay the same; others are tried again, so that the page recovers with the server. */
const shouldRetry = (failures: number, error: unknown) =>
  failures < 3 && !(error instanceof ApiError && error.status >= 400 && error.status < 500);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: shouldRetry, staleTime: 2_000, refetchOnWindowFocus: true },
  },
});

export const useFlows = () =>
  useQuery({
    queryKey: ['flows'],
    // Members list those of a project (`useProjectFlows`).
    enabled: projectId === undefined,
    queryFn: ({ signal }) => call<FlowSummary[]>('/api/v1/flows/?get_all=true&header_flows=true', { signal }),
    staleTime: 30_000,
  });

/** Names of flows by id. */
export function useFlowNames(): ReadonlyMap<string, string> {
  const { data } = useFlows();
  return useMemo(() => new Map((data ?? []).map(({ id, name }) => [id, name])), [data]);
}

/** The name of a flow of another user, for admins: its runs have it. */
export function useForeignFlowName(id: string, isEnabled: boolean): string | undefined {
  const { data } = useQuery({
    queryKey: ['flow-name', id],
    enabled: isEnabled,
    staleTime: 30_000,
    queryFn: ({ signal }) => call<RunPage>(runsPath({ flow_id: id, all_users: true }, null, 1), { signal }),
  });
  return data?.runs[0]?.flow_name;
}

/** Names of users by id, for admins; none unless they are wanted. */
export function useUserNames(enabled = true): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: ['users'],
    enabled,
    queryFn: ({ signal }) => readUsers(signal),
    staleTime: 30_000,
  });
  return useMemo(() => new Map((data ?? []).map(({ id, username }) => [id, username])), [data]);
}

/** Names of the user's keys by id. */
export function useKeyNames(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) =>
      call<{ api_keys: { id: string; name: string | null }[] }>('/api/v1/api_key/', { signal }),
    staleTime: 30_000,
  });
  return useMemo(
    () => new Map((data?.api_keys ?? []).flatMap(({ id, name }) => (name ? [[id, name]] : []))),
    [data],
  );
}

/** Names of the user's projects by id, for keys that may read them. */
export function useProjectNames(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: ['projects'],
    enabled: useMay('manage'),
    queryFn: ({ signal }) => call<{ id: string; name: string }[]>('/api/v1/projects/', { signal }),
    staleTime: 30_000,
  });
  return useMemo(() => new Map((data ?? []).map(({ id, name }) => [id, name])), [data]);
}

export const useFlowStatistics = () =>
  useQuery({
    queryKey: ['flow-statistics'],
    queryFn: timed(({ signal }) =>
      call<Schemas['FlowStatistics']>('/api/v1/flows/stats?hours=168', { signal }),
    ),
    refetchInterval: every(30_000),
  });

const ENDED = new Set(['succeeded', 'failed', 'cancelled', 'timed_out', 'dead']);

export const hasEnded = (run: Pick<Run, 'status'>): boolean => ENDED.has(run.status);

/** Whether a run is of the user who is signed in: that of another user can be read, and nothing can be done with it. */
export function useIsOwn(run: Pick<Run, 'user_id'> | undefined): boolean {
  const { user } = useSession();
  return run?.user_id === undefined || run.user_id === user.id;
}

/** Reads a run; an admin also reads those of other users. */
export function useRun(id: string) {
  const isAdmin = useMay('admin');
  return useQuery({
    queryKey: ['run', id],
    queryFn: ({ signal }) =>
      call<Run>(`/api/v1/runs/${encodeURIComponent(id)}${query({ all_users: isAdmin })}`, { signal }),
    refetchInterval: ({ state }) => (state.data !== undefined && hasEnded(state.data) ? false : 2_000),
  });
}

const LIVE_TRACE_MILLISECONDS = 1_000;

/** What the vertices of a run did, or have done so far while it runs; null when that is not kept or not known. */
export function useTrace(run: Run) {
  const isAdmin = useMay('admin');
  const seesPayloads = useSeesPayloads();
  return useQuery({
    queryKey: ['trace', run.id, run.status, run.attempt],
    // A run that waits has no vertices to tell of.
    enabled: seesPayloads && (hasEnded(run) || run.status === 'running'),
    staleTime: Infinity,
    refetchInterval: run.status === 'running' ? every(LIVE_TRACE_MILLISECONDS) : false,
    queryFn: timed(async ({ signal }) => {
      try {
        return await call<Trace>(
          `/api/v1/runs/${run.id}/trace${query({ all_users: isAdmin, live: run.status === 'running' })}`,
          {
            signal,
          },
        );
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    }),
  });
}

/** How long after the end of a run its executor tries to store lines of its log. */
const LATE_LINES_MILLISECONDS = 60_000;

/** The attempts of a run, the first one first, and the warnings and errors of their log. */
export function useAttempts(run: Run, isEnabled = true) {
  const isAdmin = useMay('admin');
  return useQuery({
    queryKey: ['attempts', run.id, run.status, run.attempt],
    enabled: isEnabled,
    queryFn: ({ signal }) =>
      call<{ attempts: readonly RunAttempt[]; log: readonly RunLogLine[] }>(
        `/api/v1/runs/${run.id}/attempts${query({ all_users: isAdmin })}`,
        { signal },
      ),
    refetchInterval: () => {
      const isOver = Date.now() - Date.parse(run.finished_at ?? '') > LATE_LINES_MILLISECONDS;
      return hasEnded(run) && isOver ? false : 3_000;
    },
  });
}

/** The request of a run of this user; null when it is not kept. */
export const useRunRequest = (run: Run | undefined) =>
  useQuery({
    queryKey: ['request', run?.id],
    enabled: run !== undefined,
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      try {
        return await call<RunRequest>(`/api/v1/runs/${run?.id ?? ''}/request`, { signal });
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  });

/** A version of a flow, such as that of a run; an admin reads those of other users. */
export const useVersionOf = ({
  flow_id: flow,
  flow_version: version,
  user_id: owner,
}: Pick<Run, 'flow_id' | 'flow_version' | 'user_id'>) =>
  useQuery({
    queryKey: ['flow-version', flow, version],
    enabled: useMayReadFlows() && version !== undefined,
    staleTime: Infinity,
    queryFn: ({ signal }) =>
      call<FlowVersion>(`/api/v1/flows/${flow}/versions/${version}${query({ user_id: owner })}`, { signal }),
  });

export interface RunFilter {
  readonly status?: string | undefined;
  readonly flow_id?: string | undefined;
  readonly project_id?: string | undefined;
  readonly origin?: string | undefined;
  readonly session_id?: string | undefined;
  readonly error_code?: string | undefined;
  readonly vertex_id?: string | undefined;
  readonly model?: string | undefined;
  readonly key_id?: string | undefined;
  readonly pool?: string | undefined;
  readonly accepted_from?: string | undefined;
  readonly accepted_before?: string | undefined;
  readonly user_id?: string | undefined;
  readonly all_users?: boolean | undefined;
}

export const runsPath = (filter: RunFilter, cursor: string | null, limit: number): string =>
  `/api/v1/runs${query({ ...filter, cursor, limit })}`;

/** What was accepted in one interval, by how it ended. */
export type HistoryPoint = Schemas['RunHistory']['points'][number];

export interface HistoryQuery {
  readonly hours: number;
  /** Seconds; it follows from the hours without it. */
  readonly interval?: number;
  readonly flow_id?: string | undefined;
  readonly user_id?: string | undefined;
  readonly all_users?: boolean | undefined;
}

/** Counts of runs over time. */
export const useHistory = (wanted: HistoryQuery) =>
  useQuery({
    queryKey: ['history', wanted],
    queryFn: timed(({ signal }) =>
      call<Schemas['RunHistory']>(`/api/v1/runs/history${query({ ...wanted })}`, { signal }),
    ),
    refetchInterval: every(30_000),
    placeholderData: keepPreviousData,
  });

import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import type { InfiniteData } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call, query } from '../api/client';
import { followEvents } from '../api/event-stream';
import type { StreamState } from '../api/event-stream';
import { runsPath } from '../api/queries';
import type { RunFilter } from '../api/queries';
import { useProject } from '../api/project';
import { useSession } from '../api/session';
import type { Run, RunPage } from '../api/answers';
import { isUnknown, matches } from './filter';

const PAGE = 100;
/** Announced runs are shown together this often, so that a busy server does not keep the page busy. */
const FLUSH_MILLISECONDS = 250;
const MAXIMUM_WAITING = 5_000;
/** When new runs have made the first page this long, the list is read again from its beginning. */
const MAXIMUM_FIRST_PAGE = 1_000;
/** How often the list is read while the server announces no runs. */
const POLL_MILLISECONDS = 5_000;

const SEARCH_MILLISECONDS = 5_000;

type Pages = InfiniteData<RunPage, string | null>;

/** The runs of a filter, newest first, with further pages on demand and live changes. */
export function useRuns(filter: RunFilter) {
  const [stream, setStream] = useState<StreamState>('connecting');
  const key = ['runs', filter];
  const isPolled = stream === 'ended' || isUnknown(filter);
  const runs = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => readPage(filter, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) =>
      isPolled && (state.data?.pages.length ?? 0) <= 1 ? POLL_MILLISECONDS : false,
  });
  useLiveRuns(filter, setStream);
  return { runs, stream };
}

/** Reads on while pages have no run, so that a filter that few runs have does not leave hundreds of empty pages in the list. */
async function readPage(filter: RunFilter, cursor: string | null, signal: AbortSignal): Promise<RunPage> {
  const begun = performance.now();
  let page = await call<RunPage>(runsPath(filter, cursor, PAGE), { signal });
  while (
    page.runs.length === 0 &&
    page.next_cursor !== null &&
    performance.now() - begun < SEARCH_MILLISECONDS
  )
    page = await call<RunPage>(runsPath(filter, page.next_cursor, PAGE), { signal });
  return page;
}

function useLiveRuns(filter: RunFilter, onState: (state: StreamState) => void): void {
  const client = useQueryClient();
  const { user } = useSession();
  const project = useProject();
  const text = JSON.stringify(filter);
  const isOfOthers = filter.all_users === true || filter.user_id !== undefined;
  // A member follows the runs of one flow, and a viewer without payloads none.
  const flow = project && filter.flow_id;
  const isPolled = project?.payloads === false;
  useEffect(() => {
    if (isPolled) return onState('ended');
    const key = ['runs', JSON.parse(text) as RunFilter];
    const abort = new AbortController();
    let waiting = new Map<string, Run>();
    const flush = setInterval(() => {
      if (waiting.size === 0) return;
      const changes = waiting;
      waiting = new Map();
      const merged = client.setQueryData<Pages>(
        key,
        (pages) => pages && merge(pages, changes, key[1] as RunFilter, user.id),
      );
      const [first] = merged?.pages ?? [];
      if (first === undefined || first.runs.length <= MAXIMUM_FIRST_PAGE) return;
      const newest = { ...first, runs: first.runs.slice(0, PAGE) };
      client.setQueryData<Pages>(key, { pages: [newest], pageParams: [null] });
      void client.invalidateQueries({ queryKey: key });
    }, FLUSH_MILLISECONDS);
    void followEvents(`/api/v1/runs/events${query({ all_users: isOfOthers, flow_id: flow })}`, {
      signal: abort.signal,
      onState: (state) => {
        onState(state);
        // Runs that changed before the stream was open, or while the connection was lost.
        if (state === 'open') void client.invalidateQueries({ queryKey: key });
      },
      onEvent: ({ name, data }) => {
        if (name === 'reset') void client.invalidateQueries({ queryKey: key });
        if (name !== 'run') return;
        const run = JSON.parse(data) as Run;
        if (waiting.size < MAXIMUM_WAITING || waiting.has(run.id)) waiting.set(run.id, run);
      },
    });
    return () => {
      abort.abort();
      clearInterval(flush);
    };
  }, [client, flow, isOfOthers, isPolled, onState, text, user.id]);
}

/** Puts changed runs into the loaded pages: known ones in their place, new ones at the top. */
export function merge(
  pages: Pages,
  changes: ReadonlyMap<string, Run>,
  filter: RunFilter,
  userId: string,
): Pages {
  const known = new Set<string>();
  const merged = pages.pages.map((page) => ({
    ...page,
    runs: page.runs.flatMap((run) => {
      const change = changes.get(run.id);
      if (change === undefined) return [run];
      known.add(run.id);
      const now = { ...run, ...change };
      return matches(now, filter, userId) ? [now] : [];
    }),
  }));
  const added = [...changes.values()]
    .filter((run) => !known.has(run.id) && matches(run, filter, userId))
    .sort((one, other) => other.accepted_at.localeCompare(one.accepted_at));
  const [first, ...rest] = merged;
  // Such a list is read again and again instead.
  if (first === undefined || added.length === 0 || isUnknown(filter)) return { ...pages, pages: merged };
  return { ...pages, pages: [{ ...first, runs: [...added, ...first.runs] }, ...rest] };
}

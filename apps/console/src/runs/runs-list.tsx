import { useCallback, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { RunFilter } from '../api/queries';
import type { StreamState } from '../api/event-stream';
import type { Run } from '../api/answers';
import { useProject } from '../api/project';
import { useSession } from '../api/session';
import { plural } from '../ui/format';
import { Ban, Replay } from '../ui/icons';
import { Busy, Button, ErrorNote } from '../ui/parts';
import { BulkDialog } from './bulk';
import type { BulkAction } from './bulk';
import { contains } from './filter';
import { RunsTable } from './runs-table';
import { useRuns } from './use-runs';

export interface RunsListProps {
  readonly filter: RunFilter;
  readonly search?: string;
  readonly empty: ReactNode;
}

const LIVE: Readonly<Record<StreamState, string>> = {
  open: 'Live',
  connecting: 'Connecting',
  waiting: 'Connecting again',
  ended: 'Read every 5 seconds',
};

/** A live list of runs with what can be done with many of them. */
export function RunsList({ filter, search = '', empty }: RunsListProps) {
  const { runs, stream } = useRuns(filter);
  const { user } = useSession();
  // Members change runs one at a time, on their pages.
  const isOfMember = useProject() !== undefined;
  // The actions on chosen runs reach those of this user.
  const isOwn = (run: Run) => run.user_id === undefined || run.user_id === user.id;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [bulk, setBulk] = useState<{ action: BulkAction; ids: readonly string[] }>();
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = runs;
  const loaded = useMemo(() => runs.data?.pages.flatMap((page) => page.runs) ?? [], [runs.data]);
  const shown = useMemo(
    () => (search === '' ? loaded : loaded.filter((run) => contains(run, search))),
    [loaded, search],
  );
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const select = useCallback((id: string, isSelected: boolean) => {
    setSelected((before) => {
      const next = new Set(before);
      if (isSelected) next.add(id);
      else next.delete(id);
      return next;
    });
  }, []);
  const pair = comparison(loaded.filter(({ id }) => selected.has(id)));
  const isEmpty = shown.length === 0 && search === '';
  const ask = (action: BulkAction) => setBulk({ action, ids: [...selected] });
  if (runs.isPending) return <Busy />;
  return (
    <>
      <div className="row spread runs-actions">
        <span className="row muted">
          <span className={`state ${stream === 'open' ? 'good' : ''}`} role="status">
            {LIVE[stream]}
          </span>
          {selected.size > 0
            ? `${plural(selected.size, 'run')} selected`
            : `${plural(shown.length, 'run')}${hasNextPage ? ' loaded' : ''}`}
        </span>
        <span className="row">
          {pair !== undefined && (
            <Link className="button small" href={pair}>
              Compare
            </Link>
          )}
          {!isOfMember && (
            <>
              <Button size="small" disabled={isEmpty} onClick={() => ask('replay')}>
                <Replay size={14} /> {selected.size > 0 ? 'Replay selected' : 'Replay matching'}
              </Button>
              <Button size="small" disabled={isEmpty} onClick={() => ask('cancel')}>
                <Ban size={14} /> {selected.size > 0 ? 'Cancel selected' : 'Cancel matching'}
              </Button>
            </>
          )}
        </span>
      </div>
      {runs.error !== null && <ErrorNote error={runs.error} retry={() => void runs.refetch()} />}
      <RunsTable
        runs={shown}
        isOfAllUsers={filter.all_users === true}
        selected={selected}
        isOwn={isOwn}
        onSelect={select}
        onSelectAll={(all) => setSelected(new Set(all ? shown.filter(isOwn).map(({ id }) => id) : []))}
        onEnd={onEnd}
        onReplay={(run: Run) => !isOfMember && setBulk({ action: 'replay', ids: [run.id] })}
        empty={hasNextPage ? <Busy what="Searching older runs" /> : empty}
      />
      {bulk !== undefined && (
        <BulkDialog
          {...bulk}
          filter={filter}
          onClose={() => setBulk(undefined)}
          onDone={() => setSelected(new Set())}
        />
      )}
    </>
  );
}

/** The page that compares two runs, the older one first; undefined for another number of runs. */
function comparison(runs: readonly Run[]): string | undefined {
  const [one, other, ...more] = runs.toSorted((left, right) =>
    left.accepted_at.localeCompare(right.accepted_at),
  );
  return one === undefined || other === undefined || more.length > 0
    ? undefined
    : `/runs/compare?one=${one.id}&other=${other.id}`;
}

import { useMemo } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import type { RunStatus } from '../api/answers';
import { useHistory } from '../api/queries';
import type { HistoryPoint } from '../api/queries';
import { useTitle } from '../shell/title';
import { Empty, PageHead } from '../ui/parts';
import { useMedia } from '../ui/use-media';
import { FilterBar } from './filter-bar';
import { STATES, apiFilter, readView, writeView } from './filter';
import type { RunsView } from './filter';
import { OutcomeStrip } from './outcome-strip';
import { RunsList } from './runs-list';
import { SavedViews } from './saved-views';

/** An interval of the strip above the list: bars that a finger can choose. */
const BAR_SECONDS = { wide: 3_600, narrow: 7_200 };

export function RunsPage() {
  useTitle('Runs');
  const [, navigate] = useLocation();
  const [parameters] = useSearchParams();
  const search = parameters.toString();
  const view = useMemo(() => readView(new URLSearchParams(search)), [search]);
  const { q, ...kept } = view;
  const key = JSON.stringify(kept);
  // A range ends now: it is computed once for a filter, so that all pages of the list have the same one.
  const filter = useMemo(
    () => apiFilter({ ...(JSON.parse(key) as Omit<RunsView, 'q'>), q: '' }, Date.now()),
    [key],
  );
  const seconds = BAR_SECONDS[useMedia('(max-width: 820px)') ? 'narrow' : 'wide'];
  const history = useHistory({
    hours: 24,
    interval: seconds,
    flow_id: view.flow || undefined,
    user_id: view.user || undefined,
    all_users: view.allUsers || undefined,
  });
  const open = (next: string) => navigate(next === '' ? '/runs' : `/runs?${next}`, { replace: true });
  return (
    <div className="page full">
      <PageHead title="Runs">
        <SavedViews search={search} onOpen={open} />
      </PageHead>
      <FilterBar
        view={view}
        counts={countsOf(history.data?.points ?? [], view)}
        onView={(next) => open(writeView(next).toString())}
      />
      {history.data !== undefined && (
        <OutcomeStrip
          points={history.data.points}
          seconds={history.data.interval_seconds}
          from={view.from}
          onChoose={(range) => open(writeView({ ...view, since: '', ...range }).toString())}
        />
      )}
      <RunsList
        filter={filter}
        search={q}
        empty={
          search === '' ? (
            <Empty
              title="No runs yet"
              paste={`curl -X POST '${location.origin}/api/v1/run/echo' -H "x-api-key: $MILLRACE_API_KEY" -H 'content-type: application/json' -d '{"input_value":"hello"}'`}
            >
              Open a flow and run it there, or paste this line in a shell.
            </Empty>
          ) : (
            <Empty title="No run matches">Take away a part of the filter, or choose a longer time.</Empty>
          )
        }
      />
    </div>
  );
}

/** The runs of each state in 24 hours or in the chosen bar; nothing where the filter has parts that the counts have not. */
function countsOf(points: readonly HistoryPoint[], view: RunsView): Partial<Record<RunStatus, number>> {
  const { project, origin, session, code, vertex, pool, model, key, q } = view;
  const isCounted = [project, origin, session, code, vertex, pool, model, key, q].every(
    (each) => each === '',
  );
  if (!isCounted || (view.since !== '' && view.since !== '24h')) return {};
  const chosen = view.from === '' ? points : points.filter(({ start }) => start === view.from);
  return Object.fromEntries(
    STATES.map((state) => [state, chosen.reduce((sum, point) => sum + point[state], 0)]),
  );
}

import { useMemo } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { useTitle } from '../shell/title';
import { Empty, PageHead } from '../ui/parts';
import { FilterBar } from './filter-bar';
import { apiFilter, readView, writeView } from './filter';
import type { RunsView } from './filter';
import { RunsList } from './runs-list';
import { SavedViews } from './saved-views';

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
  const open = (next: string) => navigate(next === '' ? '/runs' : `/runs?${next}`, { replace: true });
  return (
    <div className="page full">
      <PageHead title="Runs">
        <SavedViews search={search} onOpen={open} />
      </PageHead>
      <FilterBar view={view} onView={(next) => open(writeView(next).toString())} />
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

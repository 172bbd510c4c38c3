import type { RunFilter } from '../api/queries';
import type { Run } from '../api/answers';

/** The filter of the page as it stands in the URL. `since` is a preset such as `1h`; `q` searches the loaded rows. */
export interface RunsView {
  readonly status: readonly string[];
  readonly flow: string;
  readonly project: string;
  readonly origin: string;
  readonly session: string;
  readonly code: string;
  readonly vertex: string;
  readonly pool: string;
  readonly model: string;
  /** The id of an API key. */
  readonly key: string;
  readonly since: string;
  /** A time between two others, in ISO 8601, in place of `since`. */
  readonly from: string;
  readonly before: string;
  /** Another user, for admins. */
  readonly user: string;
  readonly allUsers: boolean;
  readonly q: string;
}

export const STATES = [
  'accepted',
  'queued',
  'running',
  'suspended',
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'dead',
] as const;

export const RANGES: readonly (readonly [value: string, title: string, minutes: number])[] = [
  ['15m', 'Last 15 minutes', 15],
  ['1h', 'Last hour', 60],
  ['24h', 'Last 24 hours', 1_440],
  ['7d', 'Last 7 days', 10_080],
];

export function readView(parameters: URLSearchParams): RunsView {
  const text = (name: string) => parameters.get(name) ?? '';
  const time = (name: string) => (Number.isNaN(Date.parse(text(name))) ? '' : text(name));
  return {
    status: text('status')
      .split(',')
      .filter((each) => (STATES as readonly string[]).includes(each)),
    flow: text('flow'),
    project: text('project'),
    origin: text('origin'),
    session: text('session'),
    code: text('code'),
    vertex: text('vertex'),
    pool: text('pool'),
    model: text('model'),
    key: text('key'),
    since: text('since'),
    from: time('from'),
    before: time('before'),
    user: text('user'),
    allUsers: text('all') === '1',
    q: text('q'),
  };
}

export function writeView(view: RunsView): URLSearchParams {
  const parameters = new URLSearchParams();
  const set = (name: string, value: string) => value !== '' && parameters.set(name, value);
  set('status', view.status.join(','));
  set('flow', view.flow);
  set('project', view.project);
  set('origin', view.origin);
  set('session', view.session);
  set('code', view.code);
  set('vertex', view.vertex);
  set('pool', view.pool);
  set('model', view.model);
  set('key', view.key);
  set('since', view.since);
  set('from', view.from);
  set('before', view.before);
  set('user', view.user);
  set('all', view.allUsers ? '1' : '');
  set('q', view.q);
  return parameters;
}

/** The parameters of the API for a view. `now` is in milliseconds. */
export function apiFilter(view: RunsView, now: number): RunFilter {
  const minutes = RANGES.find(([value]) => value === view.since)?.[2];
  return {
    status: view.status.join(',') || undefined,
    flow_id: view.flow || undefined,
    project_id: view.project || undefined,
    origin: view.origin || undefined,
    session_id: view.session || undefined,
    error_code: view.code || undefined,
    vertex_id: view.vertex || undefined,
    pool: view.pool || undefined,
    model: view.model || undefined,
    key_id: view.key || undefined,
    accepted_from:
      minutes === undefined ? view.from || undefined : new Date(now - minutes * 60_000).toISOString(),
    accepted_before: view.before || undefined,
    user_id: view.user || undefined,
    all_users: view.allUsers || undefined,
  };
}

/** The filter as the body of `POST /api/v1/runs/bulk` has it: `status` is a list there. */
export function bulkFilter({ status, ...filter }: RunFilter): Record<string, unknown> {
  const members = Object.entries(filter).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(members), ...(status === undefined ? {} : { status: status.split(',') }) };
}

/** Whether the server, which announces runs, does not say whether they belong to the list. */
export const isUnknown = (filter: RunFilter): boolean =>
  [filter.project_id, filter.model, filter.key_id].some((each) => each !== undefined);

/** Whether a run that the server has just announced belongs to the list, as far as it says. */
export function matches(run: Run, filter: RunFilter, userId: string): boolean {
  return (
    (filter.status === undefined || filter.status.split(',').includes(run.status)) &&
    (filter.flow_id === undefined || filter.flow_id === run.flow_id) &&
    (filter.origin === undefined || filter.origin === run.origin) &&
    (filter.session_id === undefined || filter.session_id === run.session_id) &&
    (filter.error_code === undefined || filter.error_code === run.error?.code) &&
    (filter.vertex_id === undefined || filter.vertex_id === run.error?.vertex?.id) &&
    (filter.pool === undefined || filter.pool === run.pool) &&
    (filter.accepted_from === undefined || run.accepted_at >= filter.accepted_from) &&
    (filter.accepted_before === undefined || run.accepted_at < filter.accepted_before) &&
    (filter.all_users === true || run.user_id === undefined || run.user_id === (filter.user_id ?? userId))
  );
}

/** Whether a loaded row contains the text of the search field. */
export function contains(run: Run, text: string): boolean {
  const wanted = text.toLowerCase();
  return [
    run.id,
    run.flow_name,
    run.username,
    run.trigger?.name,
    run.session_id,
    run.error?.code,
    run.error?.message,
  ].some((each) => each?.toLowerCase().includes(wanted) === true);
}

import { useState } from 'react';
import { useLocation } from 'wouter';
import type { RunStatus } from '../api/answers';
import { useFlows, useForeignFlowName, useKeyNames, useProjectNames, useUserNames } from '../api/queries';
import { useMay } from '../api/session';
import { count, exactTime, interval, shortId } from '../ui/format';
import { Search, X } from '../ui/icons';
import { Button } from '../ui/parts';
import { useCentred } from '../ui/use-centred';
import { RUN_ID } from '../api/run-id';
import { RANGES, STATES } from './filter';
import type { RunsView } from './filter';

export interface FilterBarProps {
  readonly view: RunsView;
  /** How many runs each state has, as far as they are counted. */
  readonly counts: Partial<Readonly<Record<RunStatus, number>>>;
  readonly onView: (view: RunsView) => void;
}

/** The parts that "Clear" removes: whose runs are shown stays. */
const UNFILTERED = {
  status: [],
  flow: '',
  project: '',
  origin: '',
  session: '',
  code: '',
  vertex: '',
  pool: '',
  model: '',
  key: '',
  since: '',
  from: '',
  before: '',
  q: '',
} as const;

const ORIGINS = ['run', 'webhook', 'advanced'];

/** The filter of a list of runs; every change goes to the URL. */
export function FilterBar({ view, counts, onView }: FilterBarProps) {
  const { data: flows } = useFlows();
  const isAdmin = useMay('admin');
  const isForeign = flows !== undefined && view.flow !== '' && !flows.some(({ id }) => id === view.flow);
  const foreignName = useForeignFlowName(view.flow, isAdmin && isForeign);
  const users = useUserNames(isAdmin && view.user !== '');
  const [, navigate] = useLocation();
  const [isWide, setWide] = useState(
    [view.code, view.vertex, view.session, view.pool, view.model].some(Boolean),
  );
  const states = useCentred<HTMLDivElement>('[aria-pressed="true"]', view.status[0]);
  const toggle = (state: string) =>
    onView({
      ...view,
      status: view.status.includes(state)
        ? view.status.filter((each) => each !== state)
        : [...view.status, state],
    });
  const search = (text: string) => {
    if (RUN_ID.test(text.trim())) navigate(`/runs/${text.trim().toLowerCase()}`);
    else onView({ ...view, q: text });
  };
  const isFiltered = (Object.keys(UNFILTERED) as (keyof typeof UNFILTERED)[]).some(
    (part) => view[part].length > 0,
  );
  return (
    <div className="filter" role="search" aria-label="Filter runs">
      <div className="row">
        <div className="search">
          <Search size={15} />
          <input
            className="input"
            type="search"
            data-search
            aria-label="Search the loaded rows, or open a run by its id"
            placeholder="Search, or paste a run id"
            value={view.q}
            onChange={(event) => search(event.target.value)}
          />
        </div>
        <select
          className="input narrow"
          aria-label="Flow"
          value={view.flow}
          onChange={(event) => onView({ ...view, flow: event.target.value })}
        >
          <option value="">All flows</option>
          {isForeign && <option value={view.flow}>{foreignName ?? `Flow ${shortId(view.flow)}`}</option>}
          {(flows ?? []).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        <select
          className="input narrow"
          aria-label="Time"
          value={isChosenTime(view) ? 'chosen' : view.since}
          onChange={(event) => onView({ ...view, since: event.target.value, from: '', before: '' })}
        >
          {isChosenTime(view) && (
            <option value="chosen" disabled>
              {intervalText(view)}
            </option>
          )}
          <option value="">Any time</option>
          {RANGES.map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
        <select
          className="input narrow"
          aria-label="Origin"
          value={view.origin}
          onChange={(event) => onView({ ...view, origin: event.target.value })}
        >
          <option value="">Any origin</option>
          {ORIGINS.map((origin) => (
            <option key={origin}>{origin}</option>
          ))}
        </select>
        <Button kind="plain" aria-expanded={isWide} onClick={() => setWide(!isWide)}>
          More
        </Button>
        {view.project && <Project id={view.project} onClear={() => onView({ ...view, project: '' })} />}
        {view.key !== '' && <Key id={view.key} onClear={() => onView({ ...view, key: '' })} />}
        {view.user !== '' && (
          <Button size="small" onClick={() => onView({ ...view, user: '' })}>
            User {users.get(view.user) ?? view.user} <X size={14} />
          </Button>
        )}
        {isAdmin && view.user === '' && (
          <label className="row check">
            <input
              type="checkbox"
              checked={view.allUsers}
              onChange={(event) => onView({ ...view, allUsers: event.target.checked })}
            />
            All users
          </label>
        )}
      </div>
      {isWide && (
        <div className="row">
          <Text label="Error code" value={view.code} onValue={(code) => onView({ ...view, code })} />
          <Text label="Failed vertex" value={view.vertex} onValue={(vertex) => onView({ ...view, vertex })} />
          <Text label="Pool" value={view.pool} onValue={(pool) => onView({ ...view, pool })} />
          <Text label="Model" value={view.model} onValue={(model) => onView({ ...view, model })} />
          <Text label="Session id" value={view.session} onValue={(session) => onView({ ...view, session })} />
        </div>
      )}
      <div ref={states} className="chips" role="group" aria-label="States">
        {STATES.map((state) => (
          <button
            key={state}
            type="button"
            className="chip"
            aria-pressed={view.status.includes(state)}
            onClick={() => toggle(state)}
          >
            {state.replace('_', ' ')}{' '}
            {(counts[state] ?? 0) > 0 && <span className="chip-count">{count(counts[state] ?? 0)}</span>}
          </button>
        ))}
        {isFiltered && (
          <Button kind="plain" size="small" onClick={() => onView({ ...view, ...UNFILTERED })}>
            <X size={14} /> Clear
          </Button>
        )}
      </div>
    </div>
  );
}

function Project({ id, onClear }: { readonly id: string; readonly onClear: () => void }) {
  const projects = useProjectNames();
  return (
    <Button size="small" onClick={onClear}>
      Project {projects.get(id) ?? shortId(id)} <X size={14} />
    </Button>
  );
}

/** The key whose runs are shown, of those stored before they start. */
function Key({ id, onClear }: { readonly id: string; readonly onClear: () => void }) {
  const names = useKeyNames();
  return (
    <Button
      size="small"
      title="Runs stored before they start. Runs of webhooks, schedules and queues have no key."
      onClick={onClear}
    >
      Runs of key {names.get(id) ?? shortId(id)} <X size={14} />
    </Button>
  );
}

const isChosenTime = ({ from, before }: RunsView) => from !== '' || before !== '';

function intervalText({ from, before }: RunsView): string {
  if (from !== '' && before !== '') return interval(Date.parse(from), Date.parse(before));
  return from === '' ? `Before ${exactTime(before)}` : `Since ${exactTime(from)}`;
}

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** A filter that is applied when the field is left or with Enter, not with each letter. */
function Text({ label, value, onValue }: TextProps) {
  return (
    <input
      key={value}
      className="input narrow"
      aria-label={label}
      placeholder={label}
      defaultValue={value}
      onBlur={(event) => event.target.value !== value && onValue(event.target.value.trim())}
      onKeyDown={(event) => event.key === 'Enter' && onValue(event.currentTarget.value.trim())}
    />
  );
}

import { useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useTimeText } from '../api/clock';
import { useFlows, useUserNames } from '../api/queries';
import { useMay } from '../api/session';
import { useTitle } from '../shell/title';
import { Download } from '../ui/icons';
import { Button, Busy, Empty, ErrorNote, PageHead } from '../ui/parts';
import { Budgets } from './budgets';
import { Figures } from './figures';
import { PeriodFields } from './period-fields';
import { periodOf } from './period';
import type { Period } from './period';
import { saveCsv, useUsage } from './queries';
import { DIMENSIONS, FIGURES, dimensionNames, isTime, sumOf } from './usage';
import type { Dimension, FigureName } from './usage';
import { UsageChart } from './usage-chart';
import { UsageTable } from './usage-table';

/** Who used how much: what ended runs used, by flow, project, user, key, model, pool and time. */
export function UsagePage() {
  useTitle('Usage');
  const isAdmin = useMay('admin');
  const [parameters, setParameters] = useSearchParams();
  const [error, setError] = useState<unknown>();
  const period = usePeriod(parameters);
  const set = (changes: Readonly<Record<string, string>>) =>
    setParameters(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changes))
          if (value === '') next.delete(name);
          else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const flow = parameters.get('flow') ?? '';
  const user = isAdmin ? (parameters.get('user') ?? '') : '';
  const scope = useMemo(
    () => ({ period, flow, user, isOfAllUsers: isAdmin && user === '' }),
    [period, flow, user, isAdmin],
  );
  const figure = figureOf(parameters.get('figure'));
  const by = dimensionOf(parameters.get('by'), period, isAdmin);
  const all = useUsage(scope, { interval: isTime(by) ? by : period.interval });
  const save = () => {
    setError(undefined);
    saveCsv(scope, by).catch(setError);
  };
  return (
    <div className="page">
      <PageHead
        title="Usage"
        about={`What ended runs used${scope.isOfAllUsers ? ', for all users' : ''}. A run counts in the hour of its end; days are those of UTC.`}
      >
        <Selects flow={flow} user={user} isAdmin={isAdmin} onChange={set} />
        <PeriodFields parameters={parameters} period={period} onChange={set} />
        <Button onClick={save}>
          <Download size={15} /> CSV
        </Button>
      </PageHead>
      {error !== undefined && <ErrorNote error={error} />}
      <Budgets />
      {all.isPending && <Busy />}
      {all.error !== null && <ErrorNote error={all.error} retry={() => void all.refetch()} />}
      {all.data !== undefined &&
        (sumOf(all.data.rows, FIGURES.runs.of) === 0 ? (
          <section className="card">
            <Empty title="No run ended in this time">Choose a longer time, or run a flow.</Empty>
          </section>
        ) : (
          <>
            <Figures rows={all.data.rows} chosen={figure} onChoose={(next) => set({ figure: next })} />
            <div className="chips" role="group" aria-label="By">
              {dimensionNames.map(
                (each) =>
                  isOffered(each, period, isAdmin) && (
                    <button
                      key={each}
                      type="button"
                      className="chip"
                      aria-pressed={by === each}
                      onClick={() => set({ by: each })}
                    >
                      {DIMENSIONS[each]}
                    </button>
                  ),
              )}
            </div>
            <UsageChart scope={scope} by={by} figure={figure} all={all.data.rows} />
            <UsageTable key={by} scope={scope} by={by} figure={figure} all={all.data.rows} />
          </>
        ))}
    </div>
  );
}

/** The period of the address, which goes on with the hours. */
function usePeriod(parameters: URLSearchParams): Period {
  const hour = useTimeText((now) => new Date(now).toISOString().slice(0, 13));
  const search = parameters.toString();
  return useMemo(() => periodOf(new URLSearchParams(search), Date.parse(`${hour}:00:00Z`)), [search, hour]);
}

const figureOf = (text: string | null): FigureName =>
  text !== null && Object.hasOwn(FIGURES, text) ? (text as FigureName) : 'runs';

/** Hours are summed over some weeks only, and a user has no other users. */
const isOffered = (by: Dimension, { canBeHourly }: Period, isAdmin: boolean): boolean =>
  (by !== 'hour' || canBeHourly) && (by !== 'user' || isAdmin);

function dimensionOf(text: string | null, period: Period, isAdmin: boolean): Dimension {
  const found = dimensionNames.find((each) => each === text) ?? 'flow';
  if (isOffered(found, period, isAdmin)) return found;
  return found === 'hour' ? 'day' : 'flow';
}

interface SelectsProps {
  readonly flow: string;
  readonly user: string;
  readonly isAdmin: boolean;
  readonly onChange: (changes: Readonly<Record<string, string>>) => void;
}

function Selects({ flow, user, isAdmin, onChange }: SelectsProps) {
  const { data: flows } = useFlows();
  const users = useUserNames(isAdmin);
  return (
    <>
      <select
        className="input narrow"
        aria-label="Flow"
        value={flow}
        onChange={(event) => onChange({ flow: event.target.value })}
      >
        <option value="">All flows</option>
        {(flows ?? []).map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      {isAdmin && (
        <select
          className="input narrow"
          aria-label="User"
          value={user}
          onChange={(event) => onChange({ user: event.target.value })}
        >
          <option value="">All users</option>
          {[...users].map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </>
  );
}

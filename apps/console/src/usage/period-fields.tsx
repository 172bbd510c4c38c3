import { Note } from '../ui/parts';
import { DEFAULT_PERIOD, PERIODS, chosenDays, dateOf } from './period';
import type { Period } from './period';

export interface PeriodFieldsProps {
  readonly parameters: URLSearchParams;
  readonly period: Period;
  readonly onChange: (changes: Readonly<Record<string, string>>) => void;
}

/** The picker of a period: one of some, or the days between two others. */
export function PeriodFields({ parameters, period, onChange }: PeriodFieldsProps) {
  const isChosen = parameters.has('from') || parameters.has('to');
  const preset = PERIODS.find(([value]) => value === parameters.get('period'))?.[0] ?? DEFAULT_PERIOD;
  const choose = (value: string) =>
    onChange(
      value === 'days'
        ? { period: '', from: dateOf(period.from), to: dateOf(period.before - 1) }
        : { period: value, from: '', to: '' },
    );
  const day = (name: 'from' | 'to', label: string) => (
    <input
      className="input narrow"
      type="date"
      aria-label={label}
      value={parameters.get(name) ?? ''}
      onChange={(event) => onChange({ [name]: event.target.value })}
    />
  );
  return (
    <>
      <select
        className="input narrow"
        aria-label="Time"
        value={isChosen ? 'days' : preset}
        onChange={(event) => choose(event.target.value)}
      >
        {PERIODS.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
        <option value="days">Chosen days</option>
      </select>
      {isChosen && (
        <>
          {day('from', 'First day')}
          {day('to', 'Last day')}
          {chosenDays(parameters) === undefined && (
            <Note tone="warn">Choose up to 400 days. Until then, the last seven days are shown.</Note>
          )}
        </>
      )}
    </>
  );
}

import { plural } from '../ui/format';
import { FIGURES, figureNames, sumOf } from './usage';
import type { FigureName, UsageRow } from './usage';

export interface FiguresProps {
  readonly rows: readonly UsageRow[];
  readonly chosen: FigureName;
  readonly onChoose: (figure: FigureName) => void;
}

/** The sums of a period. The chosen one is charted, and sorts the table. */
export function Figures({ rows, chosen, onChoose }: FiguresProps) {
  const more = detailsOf(rows);
  return (
    <div className="figures" role="group" aria-label="Figure">
      {figureNames.map((name) => (
        <button key={name} type="button" aria-pressed={name === chosen} onClick={() => onChoose(name)}>
          <span className="muted">{FIGURES[name].title}</span>
          <strong>{FIGURES[name].text(sumOf(rows, FIGURES[name].of))}</strong>
          <span className="muted small">{more[name] ?? '\u00a0'}</span>
        </button>
      ))}
    </div>
  );
}

function detailsOf(rows: readonly UsageRow[]): Partial<Record<FigureName, string>> {
  const runs = sumOf(rows, FIGURES.runs.of);
  const unpriced = sumOf(rows, (row) => row.unpriced_calls);
  const mean = (name: FigureName) => `${FIGURES[name].text(sumOf(rows, FIGURES[name].of) / runs)} a run`;
  return {
    failures: `${((100 * sumOf(rows, FIGURES.failures.of)) / runs).toFixed(1)} %`,
    tokens: plural(
      sumOf(rows, (row) => row.model_calls),
      'model call',
    ),
    ...(unpriced > 0 ? { cost: `${plural(unpriced, 'call')} without a price` } : {}),
    waiting: mean('waiting'),
    running: mean('running'),
  };
}

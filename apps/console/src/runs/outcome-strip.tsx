import { useState } from 'react';
import type { KeyboardEvent } from 'react';
import type { HistoryPoint } from '../api/queries';
import { count, interval } from '../ui/format';
import { OUTCOMES } from '../ui/outcomes';

export interface OutcomeStripProps {
  readonly points: readonly HistoryPoint[];
  readonly seconds: number;
  /** The beginning of the chosen bar. */
  readonly from: string;
  /** Filters the list to a bar, or takes the filter away. */
  readonly onChoose: (range: { readonly from: string; readonly before: string }) => void;
}

const totalOf = (point: HistoryPoint) => OUTCOMES.reduce((sum, [state]) => sum + point[state], 0);

/** The runs of the last 24 hours by how they ended, a bar for each interval. Arrow keys go from bar to bar. */
export function OutcomeStrip({ points, seconds, from, onChoose }: OutcomeStripProps) {
  const chosen = points.findIndex(({ start }) => start === from);
  const [focused, setFocused] = useState<number>();
  const current = focused ?? (chosen === -1 ? points.length - 1 : chosen);
  const highest = Math.max(1, ...points.map(totalOf));
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const targets: Readonly<Record<string, number>> = {
      ArrowLeft: current - 1,
      ArrowRight: current + 1,
      Home: 0,
      End: points.length - 1,
    };
    const target = targets[event.key];
    if (target === undefined || points[target] === undefined) return;
    event.preventDefault();
    setFocused(target);
    event.currentTarget.querySelectorAll('button')[target]?.focus();
  };
  return (
    <div
      className="strip"
      role="toolbar"
      aria-label="Runs of the last 24 hours by how they ended"
      onKeyDown={onKeyDown}
    >
      {points.map((point, index) => {
        const start = Date.parse(point.start);
        const before = new Date(start + seconds * 1_000).toISOString();
        const title = `${interval(start, start + seconds * 1_000)}: ${textOf(point)}`;
        return (
          <button
            key={point.start}
            type="button"
            title={title}
            aria-label={title}
            aria-pressed={index === chosen}
            tabIndex={index === current ? 0 : -1}
            onFocus={() => setFocused(index)}
            onClick={() =>
              onChoose(index === chosen ? { from: '', before: '' } : { from: point.start, before })
            }
          >
            <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden>
              {barsOf(point, highest).map(({ color, y, height }) => (
                <rect key={color} x="0" width="1" y={y} height={height} fill={`var(${color})`} />
              ))}
            </svg>
          </button>
        );
      })}
    </div>
  );
}

function textOf(point: HistoryPoint): string {
  const parts = OUTCOMES.filter(([state]) => point[state] > 0).map(
    ([state, title]) => `${count(point[state])} ${title.toLowerCase()}`,
  );
  return parts.join(', ') || 'nothing ended';
}

/** The parts of a bar, the first one at its foot; in parts of the highest bar. */
function barsOf(point: HistoryPoint, highest: number) {
  let y = 1;
  return OUTCOMES.filter(([state]) => point[state] > 0).map(([state, , color]) => {
    // One failure among many runs is seen, too.
    const height = Math.max(point[state] / highest, 0.06);
    y -= height;
    return { color, y, height };
  });
}

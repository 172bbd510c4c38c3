import { useMemo } from 'react';
import type { Trace, VertexRecord } from '../api/answers';
import { cost, count, duration } from '../ui/format';
import { toneOf } from '../ui/parts';

export interface TimelineProps {
  readonly trace: Trace;
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
}

const TICKS = 4;

/** The vertices of an attempt on one axis of time, each with its model calls, tools, tokens and cost. */
export function Timeline({ trace, selected, onSelect }: TimelineProps) {
  const rows = useMemo(
    () => [...trace.vertices].sort((one, other) => one.start_milliseconds - other.start_milliseconds),
    [trace],
  );
  const total = Math.max(trace.milliseconds, ...rows.map((row) => row.end_milliseconds), 0.1);
  return (
    <div className="timeline">
      <div className="timeline-axis" aria-hidden>
        <span />
        <span className="timeline-ticks">
          {Array.from({ length: TICKS + 1 }, (_, index) => (
            <span key={index}>{duration((total * index) / TICKS)}</span>
          ))}
        </span>
        <span />
      </div>
      <ul>
        {rows.map((row) => (
          <li key={`${row.flow_id}:${row.id}`}>
            <button
              type="button"
              className="timeline-row"
              aria-pressed={row.id === selected}
              onClick={() => onSelect(row.id)}
            >
              <span className="timeline-name cut" dir="auto" title={row.id}>
                {row.name}
                {row.executions > 1 && <span className="muted"> ×{count(row.executions)}</span>}
              </span>
              <span className="timeline-lane">
                <span className={`timeline-bar ${toneOf(row.state)}`} style={placeOf(row, total)} />
              </span>
              <span className="timeline-facts">
                <span>{duration(row.milliseconds)}</span>
                <span className="muted cut">{factsOf(row)}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {trace.omitted_executions > 0 && (
        <p className="muted timeline-more">
          {count(trace.omitted_executions)} further executions have no record.
        </p>
      )}
    </div>
  );
}

function placeOf(row: VertexRecord, total: number): { left: string; width: string } {
  const left = Math.min((row.start_milliseconds / total) * 100, 99.4);
  const width = Math.max(((row.end_milliseconds - row.start_milliseconds) / total) * 100, 0.6);
  return { left: `${left}%`, width: `${Math.min(width, 100 - left)}%` };
}

function factsOf(row: VertexRecord): string {
  const calls = row.models.reduce((sum, model) => sum + model.calls, 0);
  const tokens = row.models.reduce((sum, model) => sum + model.input_tokens + model.output_tokens, 0);
  const dollars = row.models.reduce<number | null>(
    (sum, model) => (model.cost_usd === null ? sum : (sum ?? 0) + model.cost_usd),
    null,
  );
  return [
    calls > 0 && `${row.models.map(({ model }) => model).join(', ')}${calls > 1 ? ` ×${calls}` : ''}`,
    tokens > 0 && `${count(tokens)} tokens`,
    dollars !== null && cost(dollars),
    row.tool_calls > 0 && `${count(row.tool_calls)} tool calls`,
  ]
    .filter(Boolean)
    .join(' · ');
}

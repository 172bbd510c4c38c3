import { useMemo } from 'react';
import type { ReactNode } from 'react';
import type { CallRecord, Trace, VertexRecord } from '../api/answers';
import { cost, count, duration } from '../ui/format';
import { toneOf } from '../ui/parts';
import { callFacts } from './calls';

export interface TimelineProps {
  readonly trace: Trace;
  readonly selected: string | undefined;
  /** Shows a vertex, and one of its calls. */
  readonly onSelect: (id: string, call?: number) => void;
}

const TICKS = 4;

/** The vertices of an attempt on one axis of time, each above its calls of models and tools. */
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
            <Row
              name={
                <>
                  {row.name}
                  {row.executions > 1 && <span className="muted"> ×{count(row.executions)}</span>}
                </>
              }
              title={row.id}
              of={row}
              total={total}
              took={row.milliseconds}
              facts={factsOf(row)}
              isSelected={row.id === selected}
              onSelect={() => onSelect(row.id)}
            />
            {row.calls.length > 0 && (
              <ul aria-label={`Calls of ${row.name}`}>
                {row.calls.map((call, index) => (
                  <li key={index}>
                    <Row
                      name={call.name || call.kind}
                      title={`${call.kind} ${call.name}`}
                      of={call}
                      total={total}
                      took={call.end_milliseconds - call.start_milliseconds}
                      facts={callFacts(call)}
                      onSelect={() => onSelect(row.id, index)}
                    />
                  </li>
                ))}
              </ul>
            )}
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

interface RowProps {
  readonly name: ReactNode;
  readonly title: string;
  readonly of: VertexRecord | CallRecord;
  /** The milliseconds of the whole axis. */
  readonly total: number;
  readonly took: number;
  readonly facts: string;
  /** Absent for a call. */
  readonly isSelected?: boolean;
  readonly onSelect: () => void;
}

function Row({ name, title, of, total, took, facts, isSelected, onSelect }: RowProps) {
  return (
    <button
      type="button"
      className={`timeline-row ${isSelected === undefined ? 'of-call' : ''}`}
      aria-pressed={isSelected}
      onClick={onSelect}
    >
      <span className="timeline-name cut" dir="auto" title={title}>
        {name}
      </span>
      <span className="timeline-lane">
        <span className={`timeline-bar ${toneOf(of.state)}`} style={placeOf(of, total)} />
      </span>
      <span className="timeline-facts">
        <span>{duration(took)}</span>
        <span className="muted cut" title={facts}>
          {facts}
        </span>
      </span>
    </button>
  );
}

function placeOf(row: VertexRecord | CallRecord, total: number): { left: string; width: string } {
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
    calls > 0 &&
      row.calls.length === 0 &&
      `${row.models.map(({ model }) => model).join(', ')}${calls > 1 ? ` ×${calls}` : ''}`,
    tokens > 0 && `${count(tokens)} tokens`,
    dollars !== null && cost(dollars),
    row.tool_calls > 0 && `${count(row.tool_calls)} tool calls`,
  ]
    .filter(Boolean)
    .join(' · ');
}

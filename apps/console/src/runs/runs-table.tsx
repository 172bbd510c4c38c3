import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import type { Run } from '../api/answers';
import { useWaitingOf, waits } from '../api/waiting';
import type { WaitingReason } from '../api/waiting';
import { useShortcuts } from '../shell/keyboard';
import { cost, count, shortId } from '../ui/format';
import { State, Time } from '../ui/parts';
import { useMedia } from '../ui/use-media';
import { originOf } from './run-origin';
import { RunTime } from './run-time';
import { tookText } from './run-times';
import { ShortReason } from './waiting';

const NARROW = '(max-width: 820px)';

export interface RunsTableProps {
  readonly runs: readonly Run[];
  /** Shows whose run each is. */
  readonly isOfAllUsers: boolean;
  readonly isOwn: (run: Run) => boolean;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (id: string, isSelected: boolean) => void;
  readonly onSelectAll: (isSelected: boolean) => void;
  /** Called when the end of the loaded rows is near. */
  readonly onEnd: () => void;
  readonly onReplay: (run: Run) => void;
  readonly empty: ReactNode;
}

/** The rows of a list of runs. Only the visible ones are in the document. */
export function RunsTable(props: RunsTableProps) {
  const { runs, isOfAllUsers, isOwn, selected, onSelect, onSelectAll, onEnd, onReplay, empty } = props;
  const [, navigate] = useLocation();
  const [current, setCurrent] = useState(-1);
  const scroller = useRef<HTMLDivElement>(null);
  const isNarrow = useMedia(NARROW);
  const rows = useVirtualizer({
    count: runs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isNarrow ? 68 : 40),
    overscan: 12,
    getItemKey: (index) => runs[index]?.id ?? index,
  });
  useEffect(() => rows.measure(), [rows, isNarrow]);
  const items = rows.getVirtualItems();
  const visible = items.flatMap(({ index }) => runs[index] ?? []);
  const waiting = useWaitingOf(visible, !visible.every(isOwn));
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= runs.length - 20) onEnd();
  }, [last, runs.length, onEnd]);
  const move = (step: number) => {
    const next = Math.min(Math.max(current + step, 0), runs.length - 1);
    setCurrent(next);
    rows.scrollToIndex(next);
    if (scroller.current !== null) focusRow(scroller.current, next);
  };
  const withCurrent = (act: (run: Run) => void) => () => {
    const run = runs[current];
    if (run !== undefined) act(run);
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    Enter: withCurrent((run) => navigate(`/runs/${run.id}`)),
    x: withCurrent((run) => isOwn(run) && onSelect(run.id, !selected.has(run.id))),
    r: withCurrent((run) => isOwn(run) && onReplay(run)),
  });
  if (runs.length === 0) return <div className="runs-empty">{empty}</div>;
  return (
    <div
      className={isOfAllUsers ? 'runs with-user' : 'runs'}
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label="Runs"
    >
      <div role="table" aria-label="Runs" aria-rowcount={runs.length + 1}>
        <div role="rowgroup" className="runs-head">
          <div role="row" aria-rowindex={1} className="runs-row">
            <span role="columnheader">
              <input
                type="checkbox"
                aria-label="Select all loaded runs"
                checked={selected.size > 0 && selected.size === runs.filter(isOwn).length}
                onChange={(event) => onSelectAll(event.target.checked)}
              />
            </span>
            <span role="columnheader">State</span>
            <span role="columnheader">Flow</span>
            <span role="columnheader">Run</span>
            <span role="columnheader">Detail</span>
            <span role="columnheader">Accepted</span>
            <span role="columnheader" className="number">
              Duration
            </span>
            <span role="columnheader" className="number">
              Tokens
            </span>
            <span role="columnheader" className="number">
              Cost
            </span>
            {isOfAllUsers && <span role="columnheader">User</span>}
          </div>
        </div>
        <div role="rowgroup" className="runs-body" style={{ height: rows.getTotalSize() }}>
          {items.map(({ index, key, size, start }) => {
            const run = runs[index];
            if (run === undefined) return null;
            return (
              <Row
                key={key}
                run={run}
                waiting={waiting.get(run.id)}
                isOwn={isOwn(run)}
                user={isOfAllUsers ? (run.username ?? '') : undefined}
                isNarrow={isNarrow}
                index={index}
                isCurrent={index === current}
                isSelected={selected.has(run.id)}
                onSelect={onSelect}
                onFocus={() => setCurrent(index)}
                style={{ height: size, transform: `translateY(${start}px)` }}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** A row that was out of sight is in the document some frames later. */
const FRAMES = 30;

/** Moves the focus to the link of a row. */
function focusRow(table: HTMLElement, index: number, frames = FRAMES): void {
  const link = table.querySelector<HTMLElement>(`[aria-rowindex="${index + 2}"] a`);
  if (link !== null) link.focus({ preventScroll: true });
  else if (frames > 0) requestAnimationFrame(() => focusRow(table, index, frames - 1));
}

interface RowProps {
  readonly run: Run;
  readonly waiting: WaitingReason | undefined;
  readonly isOwn: boolean;
  /** Undefined in a list of the runs of one user. */
  readonly user: string | undefined;
  readonly isNarrow: boolean;
  readonly index: number;
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  readonly onSelect: (id: string, isSelected: boolean) => void;
  readonly onFocus: () => void;
  readonly style: { readonly height: number; readonly transform: string };
}

function Row({
  run,
  waiting,
  isOwn,
  user,
  isNarrow,
  index,
  isCurrent,
  isSelected,
  onSelect,
  onFocus,
  style,
}: RowProps) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={`runs-row ${isCurrent ? 'current' : ''} ${isSelected ? 'selected' : ''}`}
      style={style}
      onFocus={onFocus}
    >
      <span role="cell">
        <input
          type="checkbox"
          aria-label={`Select run ${shortId(run.id)}`}
          checked={isSelected}
          disabled={!isOwn}
          onChange={(event) => onSelect(run.id, event.target.checked)}
        />
      </span>
      <span role="cell" className="runs-state">
        <State of={run.status} />
      </span>
      <span role="cell" className="cut runs-flow">
        <Link href={`/runs/${run.id}`} className="runs-link" dir="auto">
          {run.flow_name ?? shortId(run.flow_id)}
        </Link>
      </span>
      <span role="cell" className="mono muted runs-id" title={run.id}>
        {shortId(run.id)}
      </span>
      <span role="cell" className="cut runs-detail muted" dir="auto" title={run.error?.message}>
        {isNarrow && user !== undefined && `${user}: `}
        {waiting !== undefined && waits(run) ? <ShortReason of={waiting} /> : detailOf(run)}
      </span>
      <span role="cell" className="muted runs-time">
        <Time of={run.accepted_at} />
      </span>
      <span role="cell" className="number runs-duration">
        <RunTime of={run} text={tookText} absent="" />
      </span>
      <span role="cell" className="number muted runs-tokens">
        {run.usage === null ? '' : count(run.usage.total_tokens)}
      </span>
      <span role="cell" className="number muted runs-cost">
        {run.usage === null ? '' : cost(run.usage.cost_usd)}
      </span>
      {user !== undefined && (
        <span role="cell" className="cut muted runs-user" dir="auto" title={user}>
          {user}
        </span>
      )}
    </div>
  );
}

function detailOf(run: Run): string {
  if (run.error) {
    const vertex = run.error.vertex?.displayName;
    const message = run.error.message?.split('\n').filter(Boolean).at(-1) ?? run.error.code;
    return vertex === undefined ? message : `${vertex}: ${message}`;
  }
  const parts = [
    run.trigger ? `${originOf(run)} ${run.trigger.name}` : run.origin,
    run.replay_of ? 'replay' : '',
    run.attempt > 1 ? `attempt ${run.attempt}` : '',
    run.pool === 'default' ? '' : run.pool,
  ];
  return parts.filter(Boolean).join(' · ');
}

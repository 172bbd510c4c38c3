import { hasEnded } from '../api/queries';
import type { Run, RunRequest, Trace } from '../api/answers';
import { Busy, Empty } from '../ui/parts';
import { KeepRecords } from './keep-records';
import { Pauses } from './pauses';
import { RunWithValues } from './run-with-values';
import { Timeline } from './timeline';

export interface TimelineTabProps {
  readonly run: Run;
  /** Null when the vertices are not known; undefined while they are read. */
  readonly trace: Trace | null | undefined;
  /** Null when it is not kept, and undefined for the run of another user. */
  readonly request: RunRequest | null | undefined;
  readonly isOwn: boolean;
  readonly selected: string | undefined;
  readonly onSelect: (id: string, call?: number) => void;
}

/** When each vertex ran, and how long the run waited for people. */
export function TimelineTab({ run, trace, request, isOwn, selected, onSelect }: TimelineTabProps) {
  return (
    <div className="body">
      <Pauses run={run} />
      {trace && <Timeline trace={trace} selected={selected} onSelect={onSelect} />}
      {trace === null && hasEnded(run) && <KeepRecords run={run} isOwn={isOwn} />}
      {trace !== undefined && <RunWithValues run={run} request={request} trace={trace} selected={selected} />}
      {trace === undefined && hasEnded(run) && <Busy />}
      {!trace && !hasEnded(run) && run.status !== 'suspended' && (
        <Empty title="The run goes on">Its vertices are shown here when they begin.</Empty>
      )}
    </div>
  );
}

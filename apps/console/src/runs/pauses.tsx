import { useAttempts } from '../api/queries';
import type { Run, RunAttempt } from '../api/answers';
import { exactTime } from '../ui/format';
import { RunTime } from './run-time';
import { spanText } from './run-times';

interface Pause {
  readonly attempt: number;
  readonly from: string;
  /** Null while the run waits. */
  readonly to: string | null;
}

/** How long a run waited for a person, after each attempt that asked one. */
export function Pauses({ run }: { readonly run: Run }) {
  const attempts = useAttempts(run, run.status === 'suspended' || run.attempt > 1);
  const pauses = pausesOf(attempts.data?.attempts ?? [], run);
  if (pauses.length === 0) return null;
  return (
    <ul className="stack pauses">
      {pauses.map((pause) => (
        <li key={pause.attempt} className="row">
          <span className="state warn">
            {pause.to === null ? 'waits for a person' : 'waited for a person'}
          </span>
          <RunTime of={pause} text={textOf} />
          <span className="muted">
            since {exactTime(pause.from)}, after attempt {pause.attempt}
          </span>
        </li>
      ))}
    </ul>
  );
}

const textOf = ({ from, to }: Pause, now: number): string => spanText(from, to, now);

function pausesOf(attempts: readonly RunAttempt[], run: Run): readonly Pause[] {
  return attempts.flatMap(({ attempt, outcome, ended_at: from }, index) => {
    if (outcome !== 'suspended' || from === null) return [];
    return [{ attempt, from, to: attempts[index + 1]?.started_at ?? run.finished_at }];
  });
}

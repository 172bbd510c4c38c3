import { hasEnded, useAttempts } from '../api/queries';
import type { Run, RunAttempt } from '../api/answers';
import { DataTable } from '../ui/data-table';
import { exactTime } from '../ui/format';
import { RunTime } from './run-time';
import { spanText } from './run-times';
import { Busy, Empty, ErrorNote, State, Time } from '../ui/parts';

/** Why a run needed a further attempt. */
const REASONS: Readonly<Record<string, string>> = {
  failed: 'It failed; the retry rule of the flow permitted another one.',
  given_back:
    'The executor stopped or lost its connections, and gave the run back. The attempt does not count.',
  handed_off: 'The executor stopped, and handed the run off. The attempt does not count.',
  executor_lost: 'The executor did not renew its lease: it crashed, was killed, or lost its connection.',
  redelivered: 'The broker delivered the job again, because the executor had not confirmed it.',
  suspended: 'It asked a person. The attempt does not count.',
};

/** The attempts of a run with worker, times and reason, and when its state changed. */
export function Attempts({ run }: { readonly run: Run }) {
  const attempts = useAttempts(run);
  const steps: readonly (readonly [string, string | null | undefined])[] = [
    ['Accepted', run.accepted_at],
    ['Published', run.queued_at],
    ['First attempt began', run.started_at],
    ['Ended', run.finished_at],
  ];
  return (
    <div className="body stack">
      <ol className="steps">
        {steps
          .filter(([, at]) => at)
          .map(([name, at]) => (
            <li key={name}>
              <strong>{name}</strong> <span className="muted">{exactTime(at ?? '')}</span>
            </li>
          ))}
      </ol>
      {attempts.isPending && <Busy />}
      {attempts.error !== null && <ErrorNote error={attempts.error} />}
      {attempts.data !== undefined && (
        <DataTable
          isFlush
          rows={attempts.data.attempts}
          rowKey={({ attempt }) => String(attempt)}
          empty={
            <Empty title="No attempt yet">
              No executor has begun the run, or it is not recorded before it ends.
            </Empty>
          }
          columns={[
            { title: 'Attempt', cell: ({ attempt }) => attempt, isNumber: true },
            { title: 'End', cell: ({ outcome }) => <State of={outcome} />, isFixed: true },
            { title: 'Worker', cell: ({ worker }) => <span className="mono">{worker ?? 'not known'}</span> },
            { title: 'Began', cell: (attempt) => <Time of={attempt.started_at} />, isFixed: true },
            {
              title: 'Took',
              cell: (attempt) => <RunTime of={attempt} text={tookText} />,
              isNumber: true,
              isFixed: true,
            },
            { title: 'Reason', cell: (attempt) => <Reason of={attempt} run={run} /> },
          ]}
        />
      )}
    </div>
  );
}

function tookText({ started_at: from, ended_at: to }: RunAttempt, now: number): string | undefined {
  return from === null ? undefined : spanText(from, to, now);
}

function Reason({ of, run }: { readonly of: RunAttempt; readonly run: Run }) {
  const isLast = of.attempt === run.attempt && hasEnded(run);
  const message = (of.error?.message ?? of.error?.code)?.split('\n').filter(Boolean).at(-1);
  const vertex = of.error?.vertex?.displayName;
  return (
    <div dir="auto">
      {message !== undefined && <div>{vertex === undefined ? message : `${vertex}: ${message}`}</div>}
      {!isLast && REASONS[of.outcome] !== undefined && <div className="muted">{REASONS[of.outcome]}</div>}
    </div>
  );
}

import { hasEnded, useAttempts } from '../api/queries';
import type { Run, RunLogLine } from '../api/answers';
import { DataTable } from '../ui/data-table';
import { exactTime } from '../ui/format';
import { Busy, Empty, ErrorNote } from '../ui/parts';

/** The warnings and errors that executors wrote about the attempts of a run. */
export function RunLog({ run }: { readonly run: Run }) {
  return (
    <div className="body">
      <Lines run={run} />
    </div>
  );
}

function Lines({ run }: { readonly run: Run }) {
  const { data, error, isPending } = useAttempts(run);
  if (isPending) return <Busy />;
  if (data === undefined) return <ErrorNote error={error} />;
  return (
    <DataTable
      isFlush
      rows={data.log}
      rowKey={(line) => String(data.log.indexOf(line))}
      empty={
        <Empty title="No warnings and no errors">
          The executors wrote none about the attempts of this run{hasEnded(run) ? '' : ' so far'}.
        </Empty>
      }
      columns={[
        {
          title: 'Time',
          cell: ({ at }) => <time dateTime={at}>{exactTime(at)}</time>,
          isFixed: true,
        },
        {
          title: 'Level',
          cell: ({ level }) => <span className={`state ${TONES[level]}`}>{level}</span>,
          isFixed: true,
        },
        { title: 'Attempt', cell: ({ attempt }) => attempt ?? '–', isNumber: true },
        { title: 'Event', cell: (line) => <Event of={line} /> },
      ]}
    />
  );
}

const TONES = { warn: 'warn', error: 'bad' } as const;

function Event({ of: { message, fields } }: { readonly of: RunLogLine }) {
  const shown = Object.entries(fields);
  return (
    <div dir="auto">
      <div>{message}</div>
      {shown.map(([name, value]) => (
        <div key={name} className="muted">
          {name}: <span className="mono">{textOf(value)}</span>
        </div>
      ))}
    </div>
  );
}

/** A vertex is shown by its name. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null && 'displayName' in value) return String(value.displayName);
  return JSON.stringify(value);
}

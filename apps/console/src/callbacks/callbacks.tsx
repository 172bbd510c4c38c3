import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { ApiError, call, query } from '../api/client';
import { every, timed } from '../api/polling';
import { useFlowNames } from '../api/queries';
import { useMay } from '../api/session';
import type { Callback, CallbackAttempt } from '../api/answers';
import { useTimeText } from '../api/clock';
import { curlLine } from '../ui/curl-line';
import { DataTable } from '../ui/data-table';
import { duration, plural, shortId } from '../ui/format';
import { Button, Busy, Empty, ErrorNote, State, Time } from '../ui/parts';
import { toast } from '../ui/toast';

/** A request with a callback of its own. */
const EXAMPLE = curlLine(
  '/api/v1/run/echo',
  { input_value: 'hello' },
  {
    prefer: 'respond-async',
    'x-callback-url': 'https://example.com/runs',
    'x-callback-secret': 'CALLBACK_SECRET',
  },
);

const PAGE = 50;

export interface CallbacksProps {
  readonly filter: { readonly flow_id?: string; readonly state?: string };
  /** The table is part of a card. */
  readonly isFlush?: boolean;
}

/** Callbacks, newest first, with the log of their attempts; a replay sends one again under its id. */
export function Callbacks({ filter, isFlush = false }: CallbacksProps) {
  const client = useQueryClient();
  const canManage = useMay('manage');
  const names = useFlowNames();
  const [limit, setLimit] = useState(PAGE);
  const callbacks = useQuery<Callback[]>({
    queryKey: ['callbacks', filter, limit],
    queryFn: timed(({ signal }) =>
      call<Callback[]>(`/api/v1/callbacks${query({ ...filter, limit })}`, { signal }),
    ),
    refetchInterval: every(5_000),
    placeholderData: (before) => before,
  });
  const replay = async ({ id }: Callback) => {
    try {
      await call(`/api/v1/callbacks/${id}/replay`, { method: 'POST' });
      toast('The callback is sent again');
      await client.invalidateQueries({ queryKey: ['callbacks'] });
    } catch (error) {
      toast(error instanceof ApiError ? error.message : String(error));
    }
  };
  if (callbacks.isPending) return <Busy />;
  if (callbacks.data === undefined)
    return <ErrorNote error={callbacks.error} retry={() => void callbacks.refetch()} />;
  return (
    <>
      {callbacks.error !== null && <ErrorNote error={callbacks.error} />}
      <DataTable
        isFlush={isFlush}
        rows={callbacks.data}
        rowKey={({ id }) => id}
        empty={
          <Empty
            title={filter.state ? `No ${filter.state} callbacks` : 'No callbacks'}
            {...(filter.state ? {} : { paste: EXAMPLE })}
          >
            A callback reports the end of a run to an address that the settings of a flow or the request name.
          </Empty>
        }
        columns={[
          { title: 'State', cell: ({ state }) => <State of={state} />, isFixed: true },
          {
            title: 'Receiver',
            cell: ({ url, kind }) => (
              <div>
                <span className="mono" dir="ltr">
                  {url}
                </span>
                <div className="muted">{kind === 'alert' ? 'alert' : `run ${kind}`}</div>
              </div>
            ),
          },
          {
            title: 'Run',
            cell: (callback) => (
              <div>
                {filter.flow_id === undefined && (
                  <Link href={`/flows/${callback.flow_id}?tab=callbacks`} dir="auto">
                    {names.get(callback.flow_id) ?? shortId(callback.flow_id)}
                  </Link>
                )}
                {callback.run_id !== null && (
                  <div>
                    <Link className="mono" href={`/runs/${callback.run_id}`}>
                      {shortId(callback.run_id)}
                    </Link>
                  </div>
                )}
              </div>
            ),
          },
          { title: 'Created', cell: (callback) => <Time of={callback.created_at} />, isFixed: true },
          { title: 'Last answer', cell: (callback) => <LastAnswer of={callback} /> },
          {
            title: '',
            cell: (callback) =>
              canManage &&
              callback.state !== 'pending' && (
                <Button size="small" onClick={() => void replay(callback)}>
                  Replay
                </Button>
              ),
          },
        ]}
        detail={{ title: 'Attempts', render: (callback) => <Log of={callback} /> }}
      />
      {callbacks.data.length === limit && limit < 200 && (
        <div className="row center">
          <Button onClick={() => setLimit(200)}>Show more</Button>
        </div>
      )}
    </>
  );
}

function LastAnswer({ of }: { readonly of: Callback }) {
  return (
    <div dir="auto">
      {of.last_error ?? of.last_status}
      {of.state === 'pending' && of.next_attempt_at !== null && (
        <div className="muted">
          {plural(of.attempts, 'attempt')}, next <Time of={of.next_attempt_at} kind="due" />
          <Overdue since={of.next_attempt_at} />
        </div>
      )}
    </div>
  );
}

/** Why an attempt is late by more than its turn takes. */
function Overdue({ since }: { readonly since: string }) {
  return useTimeText((now) =>
    now - Date.parse(since) < 60_000 ? '' : ': the receiver failed often and is paused, or it is busy',
  );
}

/** The attempts of a callback with the beginnings of the answers. */
function Log({ of }: { readonly of: Callback }) {
  const log = useQuery({
    queryKey: ['callbacks', 'log', of.id, of.attempts],
    queryFn: async ({ signal }) =>
      (await call<{ log: CallbackAttempt[] }>(`/api/v1/callbacks/${of.id}`, { signal })).log,
  });
  if (log.isPending) return <Busy />;
  if (log.error !== null) return <ErrorNote error={log.error} />;
  return (
    <DataTable
      isFlush
      rows={log.data}
      rowKey={({ number }) => String(number)}
      empty={<p className="muted">No attempt has ended yet.</p>}
      columns={[
        { title: 'Attempt', cell: ({ number }) => number, isNumber: true },
        { title: 'At', cell: ({ at }) => <Time of={at} />, isFixed: true },
        { title: 'Took', cell: ({ milliseconds }) => duration(milliseconds), isNumber: true, isFixed: true },
        { title: 'Status', cell: ({ status }) => status ?? 'none', isFixed: true },
        {
          title: 'Answer',
          cell: ({ error, answer }) => (
            <div dir="auto">
              {error !== null && <div>{error}</div>}
              {answer && <div className="mono muted">{answer.slice(0, 400)}</div>}
            </div>
          ),
        },
      ]}
    />
  );
}

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { SIGNED_OUT, call } from '../api/client';
import { useUserNames } from '../api/queries';
import { useMay } from '../api/session';
import type { Schemas } from '../api/answers';
import { useTitle } from '../shell/title';
import { shortId } from '../ui/format';
import { Button, Busy, ErrorNote, PageHead, State, Time } from '../ui/parts';
import { DataTable } from '../ui/data-table';

type ConsoleSession = Schemas['ConsoleSessionList']['sessions'][number];

export function SessionsPage() {
  useTitle('Signed-in browsers');
  const client = useQueryClient();
  const isAdmin = useMay('admin');
  const [all, setAll] = useState(false);
  const names = useUserNames(all);
  const sessions = useQuery({
    queryKey: ['sessions', all],
    queryFn: ({ signal }) =>
      call<Schemas['ConsoleSessionList']>(`/api/v1/console/sessions${all ? '?all_users=true' : ''}`, {
        signal,
      }),
  });
  const revoke = async (session: ConsoleSession) => {
    await call(`/api/v1/console/sessions/${session.id}`, { method: 'DELETE' });
    if (session.current) window.dispatchEvent(new Event(SIGNED_OUT));
    else await client.invalidateQueries({ queryKey: ['sessions'] });
  };
  return (
    <div className="page">
      <PageHead title="Signed-in browsers" about="A revoked one is signed out at its next request.">
        {isAdmin && (
          <label className="row check">
            <input type="checkbox" checked={all} onChange={(event) => setAll(event.target.checked)} /> All
            users
          </label>
        )}
      </PageHead>
      {sessions.isPending && <Busy />}
      {sessions.error !== null && <ErrorNote error={sessions.error} retry={() => void sessions.refetch()} />}
      {sessions.data !== undefined && (
        <DataTable
          rows={sessions.data.sessions}
          rowKey={({ id }) => id}
          columns={[
            {
              title: 'Browser',
              cell: (session) => (
                <span className="row">
                  {browserOf(session.user_agent)} {session.current && <State of="active" />}
                </span>
              ),
            },
            ...(all
              ? [
                  {
                    title: 'User',
                    cell: ({ user_id: id }: ConsoleSession) => (
                      <span dir="auto" title={id}>
                        {names.get(id) ?? shortId(id)}
                      </span>
                    ),
                  },
                ]
              : []),
            { title: 'Address', cell: (session) => session.client_address ?? '–' },
            { title: 'Signed in', cell: (session) => <Time of={session.created_at} />, isFixed: true },
            { title: 'Last used', cell: (session) => <Time of={session.last_used_at} />, isFixed: true },
            {
              title: 'Expires',
              cell: (session) => <Time of={session.expires_at} kind="expiry" />,
              isFixed: true,
            },
            {
              title: '',
              cell: (session) => (
                <span className="row end">
                  <Button size="small" kind="danger" onClick={() => void revoke(session)}>
                    {session.current ? 'Sign out' : 'Revoke'}
                  </Button>
                </span>
              ),
            },
          ]}
        />
      )}
    </div>
  );
}

const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

const browserOf = (agent: string | null): string =>
  BROWSERS.find(([pattern]) => pattern.test(agent ?? ''))?.[1] ?? agent?.slice(0, 40) ?? 'unknown';

import { useEffect, useState } from 'react';
import type { FormEvent } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useQuery } from '@tanstack/react-query';
import { call, query } from '../api/client';
import { useFlowNames, useFlows } from '../api/queries';
import { useMay } from '../api/session';
import type { Flow } from '../api/answers';
import { useTitle } from '../shell/title';
import { shortId } from '../ui/format';
import { Button, Empty, PageHead } from '../ui/parts';
import { SessionList } from '../conversations/session-list';
import { useConversations } from '../conversations/queries';
import { Chat } from './chat';

/** Sessions of flows, and one of them, read from its end and continued: the newest unless another one is chosen. Everything that selects is in the address. */
export default function ConversationsPage() {
  useTitle('Conversations');
  const [parameters, setParameters] = useSearchParams();
  const flows = useFlows();
  const names = useFlowNames();
  const flow = parameters.get('flow') ?? '';
  const wanted = parameters.get('find') ?? '';
  const of = parameters.get('of') ?? '';
  const session = parameters.get('session') ?? '';
  const list = useConversations({ flow_id: flow, session_id: wanted });
  const newest = list.data?.pages[0]?.conversations[0];
  useEffect(() => {
    // The address holds it from then on: a newer session does not take its place.
    if (session !== '' || newest === undefined) return;
    const { flow_id, session_id } = newest;
    setParameters({ flow, find: wanted, of: flow_id, session: session_id }, { replace: true });
  }, [session, newest, flow, wanted, setParameters]);
  const nameOf = (id: string) => names.get(id) ?? `Flow ${shortId(id)}`;
  return (
    <div className="page">
      <PageHead title="Conversations" about="Sessions of your flows with a run that is kept.">
        <select
          className="input narrow"
          aria-label="Flow"
          value={flow}
          onChange={(event) => setParameters({ flow: event.target.value }, { replace: true })}
        >
          <option value="">All flows</option>
          {(flows.data ?? []).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        <Find
          key={wanted}
          value={wanted}
          onFind={(find) => setParameters({ flow, find }, { replace: true })}
        />
      </PageHead>
      <div className="chat">
        <SessionList
          of={list}
          href={({ flow_id, session_id }) =>
            `/conversations${query({ flow, find: wanted, of: flow_id, session: session_id })}`
          }
          isOpen={({ flow_id, session_id }) => flow_id === of && session_id === session}
          {...(flow === '' ? { flowOf: ({ flow_id }) => nameOf(flow_id) } : {})}
          empty={
            <Empty title="No conversations">
              {wanted === ''
                ? 'A session appears here with its first run.'
                : 'No run that is kept has this session.'}
            </Empty>
          }
        />
        {of !== '' && session !== '' && (
          <Conversation key={`${of} ${session}`} flow={of} session={session} name={nameOf(of)} />
        )}
      </div>
    </div>
  );
}

function Find({ value, onFind }: { readonly value: string; readonly onFind: (text: string) => void }) {
  const [text, setText] = useState(value);
  const find = (event: FormEvent) => {
    event.preventDefault();
    onFind(text.trim());
  };
  return (
    <form className="row" role="search" onSubmit={find}>
      <input
        className="input narrow"
        aria-label="Id of a session"
        placeholder="Id of a session"
        data-search
        dir="auto"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit">Find</Button>
    </form>
  );
}

interface ConversationProps {
  readonly flow: string;
  readonly session: string;
  readonly name: string;
}

function Conversation({ flow, session, name }: ConversationProps) {
  const canRun = useMay('run');
  const canRead = useMay('manage');
  const document = useQuery({
    queryKey: ['flow', flow],
    enabled: canRun && canRead,
    retry: false,
    queryFn: ({ signal }) => call<Flow>(`/api/v1/flows/${flow}`, { signal }),
  });
  return (
    <Chat
      flow={flow}
      document={document.data?.data ?? undefined}
      session={session}
      title={session === flow ? name : session}
      links={
        document.data !== undefined && (
          <Link href={`/flows/${flow}${query({ tab: 'playground', session })}`}>Flow</Link>
        )
      }
      empty="The runs of this session stored no messages."
    />
  );
}

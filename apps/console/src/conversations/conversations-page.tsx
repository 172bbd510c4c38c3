import { useState } from 'react';
import type { FormEvent } from 'react';
import { Link, useSearchParams } from 'wouter';
import { query } from '../api/client';
import { useFlowNames, useFlows } from '../api/queries';
import { useTitle } from '../shell/title';
import { shortId } from '../ui/format';
import { Busy, Button, Card, Empty, PageHead } from '../ui/parts';
import { Older, StoredBubble } from './bubbles';
import { SessionList } from './session-list';
import { useConversationMessages, useConversations } from './queries';

/** Sessions of flows, and one of them read from its end. Everything that selects is in the address. */
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
        {of === '' || session === '' ? (
          <section className="card">
            <Empty title="Choose a session">Its messages appear here, from the end.</Empty>
          </section>
        ) : (
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
  const { pages, messages } = useConversationMessages(flow, session);
  return (
    <Card
      title={<bdi>{session === flow ? name : session}</bdi>}
      actions={
        <span className="row">
          <Link href={`/runs${query({ flow, session, since: 'all' })}`}>Runs</Link>
          <Link href={`/flows/${flow}${query({ tab: 'playground', session })}`}>Continue</Link>
        </span>
      }
    >
      <div className="stack">
        {pages.isPending && <Busy />}
        <Older pages={pages} />
        {pages.data !== undefined && messages.length === 0 && (
          <Empty title="No messages">The runs of this session stored none.</Empty>
        )}
        <ol className="messages" aria-label="Messages">
          {messages.map((message) => (
            <StoredBubble key={message.id} message={message} />
          ))}
        </ol>
      </div>
    </Card>
  );
}

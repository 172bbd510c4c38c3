import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { query } from '../api/client';
import type { Flow, FlowDocument } from '../api/answers';
import { Chat } from '../chat/chat';
import { useConversations } from '../conversations/queries';
import { SessionList } from '../conversations/session-list';
import { Button } from '../ui/parts';
import { newSessionId } from './session-id';

export interface PlaygroundProps {
  readonly flow: Pick<Flow, 'id'>;
  /** Absent for callers who read the sessions alone. */
  readonly document: FlowDocument | undefined;
}

/** Chats with a flow: its sessions, and the turns of one. The session is in the address. */
export function Playground({ flow, document }: PlaygroundProps) {
  const [parameters, setParameters] = useSearchParams();
  const [fresh, setFresh] = useState(newSessionId);
  const sessions = useConversations({ flow_id: flow.id });
  const session = parameters.get('session') ?? fresh;
  const open = (id?: string) =>
    setParameters({ tab: 'playground', ...(id === undefined ? {} : { session: id }) }, { replace: true });
  return (
    <div className="chat">
      <div className="stack">
        {document !== undefined && (
          <Button
            onClick={() => {
              setFresh(newSessionId());
              open();
            }}
          >
            New session
          </Button>
        )}
        <SessionList
          of={sessions}
          href={({ session_id: id }) => `/flows/${flow.id}${query({ tab: 'playground', session: id })}`}
          isOpen={({ session_id: id }) => id === session}
          empty={<p className="muted">Sessions of this flow appear here.</p>}
        />
      </div>
      <Chat
        key={session}
        flow={flow.id}
        document={document}
        session={session}
        title={session === flow.id ? 'Runs without a session' : session}
        empty={
          document === undefined
            ? 'Choose a session.'
            : 'Say something: the answer appears here, token by token.'
        }
        // The address names the session from then on.
        onSent={() => open(session)}
      />
    </div>
  );
}

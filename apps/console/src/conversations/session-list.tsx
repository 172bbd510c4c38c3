import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Button, Busy, ErrorNote, State, Time } from '../ui/parts';
import type { ConversationEntry, useConversations } from './queries';

export interface SessionListProps {
  readonly of: ReturnType<typeof useConversations>;
  readonly href: (entry: ConversationEntry) => string;
  readonly isOpen: (entry: ConversationEntry) => boolean;
  /** The name of the flow of a session; none where all are of one flow. */
  readonly flowOf?: (entry: ConversationEntry) => string;
  readonly empty: ReactNode;
}

/** Sessions, that with the newest run first. */
export function SessionList({ of, href, isOpen, flowOf, empty }: SessionListProps) {
  const entries = of.data?.pages.flatMap((page) => page.conversations) ?? [];
  return (
    <nav className="session-list" aria-label="Sessions">
      {of.isPending && <Busy />}
      {of.error !== null && <ErrorNote error={of.error} retry={() => void of.refetch()} />}
      {of.data !== undefined && entries.length === 0 && !of.hasNextPage && empty}
      <ul>
        {entries.map((entry) => (
          <li key={`${entry.flow_id} ${entry.session_id}`}>
            <Link href={href(entry)} replace aria-current={isOpen(entry) ? 'true' : undefined}>
              <span className="session-name">
                <bdi>
                  {isShared(entry) ? (flowOf?.(entry) ?? 'Runs without a session') : entry.session_id}
                </bdi>
              </span>
              <span className="muted session-text" dir="auto">
                {entry.last_message?.text ?? 'No text'}
              </span>
              <span className="row muted">
                {flowOf !== undefined && (
                  <bdi className="session-flow">
                    {isShared(entry) ? 'Runs without a session' : flowOf(entry)}
                  </bdi>
                )}
                <Time of={entry.last_run.accepted_at} />
                {entry.last_run.status !== 'succeeded' && <State of={entry.last_run.status} />}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {of.hasNextPage && (
        <div className="row center">
          <Button size="small" disabled={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
            {of.isFetchingNextPage ? 'Loading…' : 'Older sessions'}
          </Button>
        </div>
      )}
    </nav>
  );
}

/** Runs without a session share the one that has the id of their flow. */
const isShared = ({ flow_id: flow, session_id: session }: ConversationEntry): boolean => session === flow;

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ReactNode, RefObject } from 'react';
import { Link } from 'wouter';
import { call, query } from '../api/client';
import { hasEnded, useRun } from '../api/queries';
import { useRequestsOf } from '../api/pending';
import type { FlowDocument, Run, RunPage } from '../api/answers';
import { Bubble, bubbleOfStored, Older, StoredBubble } from '../conversations/bubbles';
import type { BubbleProps } from '../conversations/bubbles';
import { useConversationMessages } from '../conversations/queries';
import type { ConversationMessage } from '../conversations/queries';
import { Questions } from '../pending/questions';
import { useLiveRun } from '../runs/live-run';
import type { LiveMessage } from '../runs/live-run';
import { Outputs } from '../runs/run-tabs';
import { Busy, ErrorNote, Note, State } from '../ui/parts';
import { toast } from '../ui/toast';
import { Composer } from './composer';
import type { Turn } from './composer';

export interface ChatProps {
  /** The id of the flow. */
  readonly flow: string;
  /** Absent while it is read, and for callers who cannot read or run the flow: they read the session. */
  readonly document: FlowDocument | undefined;
  readonly session: string;
  readonly title: ReactNode;
  readonly links?: ReactNode;
  /** What stands where there are no messages. */
  readonly empty: string;
  /** Called with each message that is sent. */
  readonly onSent?: () => void;
}

/** The turns of a session of a flow, and a field for the next one. */
export function Chat({ flow, document, session, title, links, empty, onSent }: ChatProps) {
  const client = useQueryClient();
  const { pages, messages } = useConversationMessages(flow, session);
  const [sent, setSent] = useState<readonly Turn[]>([]);
  const [running, setRunning] = useState<ReadonlySet<string>>(new Set());
  const unfinished = useUnfinishedRuns(flow, session);
  const turns: readonly Turn[] = [
    ...unfinished
      .filter(({ id }) => !sent.some(({ run }) => run === id))
      .map(({ id }) => ({ run: id, input: '' })),
    ...sent,
  ];
  const ofTurns = new Set(turns.map(({ run }) => run));
  const earlier = messages.filter(({ run_id: run }) => run === null || !ofTurns.has(run));
  const onState = (run: string, isRunning: boolean) => {
    setRunning((before) => {
      if (before.has(run) === isRunning) return before;
      return new Set(isRunning ? [...before, run] : [...before].filter((each) => each !== run));
    });
    if (isRunning) return;
    void client.invalidateQueries({ queryKey: ['conversation', flow, session] });
    void client.invalidateQueries({ queryKey: ['conversations'] });
  };
  const stop = async () => {
    for (const run of running)
      await call(`/api/v1/runs/${run}/cancel`, { method: 'POST' }).catch((error: unknown) =>
        toast(error instanceof Error ? error.message : String(error)),
      );
  };
  const scroller = useRef<HTMLDivElement>(null);
  useStickToEnd(scroller);
  return (
    <section className="card chat-card" aria-label="Conversation">
      <header>
        <h2>
          <bdi>{title}</bdi>
        </h2>
        {links}
        <Link href={`/runs${query({ flow, session })}`}>Runs of the session</Link>
      </header>
      <div className="chat-messages" ref={scroller} tabIndex={0} role="region" aria-label="Messages">
        {pages.isPending && <Busy />}
        <Older pages={pages} />
        {pages.data !== undefined && earlier.length === 0 && turns.length === 0 && (
          <p className="muted center-text">{empty}</p>
        )}
        <ol className="messages" aria-live="polite">
          {earlier.map((message) => (
            <StoredBubble key={message.id} message={message} />
          ))}
          {turns.map((turn) => (
            <ShownTurn
              key={turn.run}
              turn={turn}
              stored={messages.filter(({ run_id: run }) => run === turn.run)}
              onState={onState}
            />
          ))}
        </ol>
      </div>
      {document !== undefined && (
        <Composer
          flow={flow}
          document={document}
          session={session}
          isRunning={running.size > 0}
          onStop={() => void stop()}
          onSent={(turn) => {
            setSent((before) => [...before, turn]);
            setRunning((before) => new Set([...before, turn.run]));
            onSent?.();
          }}
        />
      )}
    </section>
  );
}

/** Runs of the session that went on when the page was opened. */
function useUnfinishedRuns(flow: string, session: string): readonly Run[] {
  const runs = useQuery({
    queryKey: ['unfinished', flow, session],
    staleTime: Infinity,
    gcTime: 0,
    queryFn: ({ signal }) =>
      call<RunPage>(
        `/api/v1/runs${query({ flow_id: flow, session_id: session, status: 'accepted,queued,running,suspended', limit: 20 })}`,
        { signal },
      ),
  });
  return (runs.data?.runs ?? []).toReversed();
}

interface ShownTurnProps {
  readonly turn: Turn;
  /** What the run has stored. */
  readonly stored: readonly ConversationMessage[];
  readonly onState: (run: string, isRunning: boolean) => void;
}

/** The messages of one run as they come, what it asks, and how it ended. */
function ShownTurn({ turn, stored, onState }: ShownTurnProps) {
  const { data: run, error } = useRun(turn.run);
  const isOver = run !== undefined && (hasEnded(run) || run.status === 'suspended');
  const live = useLiveRun(turn.run, !isOver);
  const status = run?.status;
  useEffect(() => {
    if (status !== undefined) onState(turn.run, !isOver);
    // Only a change of the state counts.
  }, [status]);
  const messages = live?.messages ?? [];
  const isStored = isOver && stored.length > 0;
  // The failure of the run says more than the message about it.
  const shown = run?.error ? stored.filter((each) => !each.error) : stored;
  const hasOwn = isStored ? stored.some(isOfUser) : messages.some(({ isMine }) => isMine);
  const answers = isStored
    ? stored.filter((each) => !isOfUser(each))
    : messages.filter(({ isMine }) => !isMine);
  return (
    <>
      {!hasOwn && turn.input !== '' && <Bubble sender="User" isMine text={turn.input} />}
      {(isStored
        ? shown.map((message) => ({ id: message.id, bubble: bubbleOfStored(message) }))
        : messages.map((message) => ({ id: message.id, bubble: bubbleOfLive(message, turn.run) }))
      ).map(({ id, bubble }) => (
        // The stored message is the same element, so that calls of tools that were opened stay open.
        <Bubble key={id} {...bubble} />
      ))}
      {error !== null && (
        <li>
          <ErrorNote error={error} />
        </li>
      )}
      {run === undefined ? null : (
        <TurnEnd run={run} hasAnswer={answers.length > 0} isLost={live?.stream === 'waiting' && !isOver} />
      )}
    </>
  );
}

const isOfUser = ({ sender }: ConversationMessage): boolean => sender === 'User';

function bubbleOfLive({ sender, text, blocks, isMine }: LiveMessage, run: string): BubbleProps {
  return {
    sender,
    isMine,
    text,
    blocks,
    aside: !isMine && (
      <Link className="muted" href={`/runs/${run}`}>
        run
      </Link>
    ),
  };
}

interface TurnEndProps {
  readonly run: Run;
  readonly hasAnswer: boolean;
  readonly isLost: boolean;
}

/** Below the messages of a run: that it works, what it asks, its failure, or its outputs when it has no messages. */
function TurnEnd({ run, hasAnswer, isLost }: TurnEndProps) {
  const requests = useRequestsOf(run, true);
  const link = (
    <Link className="muted" href={`/runs/${run.id}`}>
      run
    </Link>
  );
  if (isLost)
    return (
      <li>
        <Note tone="warn">The connection was lost. The page connects again and reads what it missed.</Note>
      </li>
    );
  if (run.status === 'suspended')
    return (
      <li className="asks">
        <Questions of={requests.data ?? []} title={() => 'The run asks'} />
      </li>
    );
  if (!hasEnded(run))
    return (
      <li className="works">
        <span className="bubble-head" role="status">
          <State of={run.status} />
          {link}
        </span>
      </li>
    );
  if (run.error)
    return (
      <li className="wrong">
        <span className="bubble-head">
          <State of={run.status} />
          {link}
        </span>
        <Note
          tone="bad"
          title={run.error.vertex ? `“${run.error.vertex.displayName}” failed` : run.error.code}
        >
          <p className="note-text" dir="auto">
            {run.error.message}
          </p>
        </Note>
      </li>
    );
  if (hasAnswer) return null;
  return (
    <li>
      <span className="bubble-head">
        <span className="muted">Output</span>
        {link}
      </span>
      <Outputs run={run} live={[]} />
    </li>
  );
}

/** Keeps the end of a list in sight while it grows, unless the reader has scrolled away from it. */
function useStickToEnd(of: RefObject<HTMLDivElement | null>): void {
  useLayoutEffect(() => {
    const box = of.current;
    const content = box?.lastElementChild;
    if (!box || !content) return;
    let isAtEnd = true;
    const onScroll = () => (isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 80);
    const observer = new ResizeObserver(() => {
      if (isAtEnd) box.scrollTop = box.scrollHeight;
    });
    observer.observe(content);
    box.addEventListener('scroll', onScroll);
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', onScroll);
    };
  }, [of]);
}

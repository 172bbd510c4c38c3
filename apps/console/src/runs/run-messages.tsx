import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, query } from '../api/client';
import type { Run, StoredMessage } from '../api/answers';
import { QuestionText } from '../conversations/bubbles';
import { questionsOf } from '../conversations/tool-calls';
import { exactTime } from '../ui/format';
import { LongText } from '../ui/long-text';
import { Button, Busy, Empty, ErrorNote } from '../ui/parts';

const PAGE = 50;
/** Longer texts are read when the reader asks for them. */
const TEXT_LIMIT = 20_000;

interface Part {
  readonly offset: number;
  readonly limit: number;
  readonly text_limit?: number;
}

const readMessages = (run: Run, part: Part, signal: AbortSignal) =>
  call<StoredMessage[]>(
    `/api/v1/monitor/messages${query({ flow_id: run.flow_id, session_id: run.session_id, run_id: run.id, ...part })}`,
    { signal },
  );

/** The messages that a run stored in its session, in pages. */
export function RunMessages({ run }: { readonly run: Run }) {
  const messages = useInfiniteQuery({
    queryKey: ['messages', run.id, run.status],
    queryFn: ({ pageParam, signal }) =>
      readMessages(run, { offset: pageParam, limit: PAGE, text_limit: TEXT_LIMIT }, signal),
    initialPageParam: 0,
    getNextPageParam: (page, pages) => (page.length < PAGE ? undefined : pages.length * PAGE),
  });
  if (messages.isPending) return <Busy />;
  if (messages.data === undefined)
    return <ErrorNote error={messages.error} retry={() => void messages.refetch()} />;
  const shown = messages.data.pages.flat();
  if (shown.length === 0)
    return <Empty title="No messages">This run stored no messages in its session.</Empty>;
  return (
    <div className="stack">
      <ol className="messages" aria-label="Messages">
        {shown.map((message, index) => (
          <li key={message.id} className={message.sender === 'User' ? 'mine' : ''}>
            <span className="muted" title={exactTime(message.timestamp)}>
              {message.sender_name}
            </span>
            {questionsOf(message.content_blocks).map((asked) => (
              <QuestionText key={asked.prompt} {...asked} />
            ))}
            <MessageText run={run} message={message} offset={index} />
          </li>
        ))}
      </ol>
      {messages.error !== null && <ErrorNote error={messages.error} />}
      {messages.hasNextPage && (
        <div className="row center">
          <Button disabled={messages.isFetchingNextPage} onClick={() => void messages.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </div>
  );
}

interface MessageTextProps {
  readonly run: Run;
  readonly message: StoredMessage;
  readonly offset: number;
}

function MessageText({ run, message, offset }: MessageTextProps) {
  const [isWhole, setWhole] = useState(false);
  const whole = useQuery({
    queryKey: ['message', message.id],
    enabled: isWhole,
    staleTime: Infinity,
    queryFn: ({ signal }) => readMessages(run, { offset, limit: 1 }, signal),
  });
  const text = whole.data?.find(({ id }) => id === message.id)?.text;
  if (text !== undefined) return <LongText text={text} label={`Message of ${message.sender_name}`} />;
  return (
    <>
      <p className="value-text" dir="auto">
        {message.text}
      </p>
      {message.text.length >= TEXT_LIMIT - 1 && (
        <Button size="small" disabled={whole.isFetching} onClick={() => setWhole(true)}>
          {whole.isFetching ? 'Loading…' : 'Read the whole message'}
        </Button>
      )}
      {whole.error !== null && <ErrorNote error={whole.error} />}
    </>
  );
}

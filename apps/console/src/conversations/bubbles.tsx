import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { exactTime } from '../ui/format';
import { LongText } from '../ui/long-text';
import { Button, ErrorNote, State, Time } from '../ui/parts';
import { ValueView } from '../ui/value-view';
import type { ConversationMessage, useConversationMessages } from './queries';
import type { Question } from './tool-calls';
import { questionsOf, toolCallsOf } from './tool-calls';

export interface BubbleProps {
  readonly sender: string;
  readonly isMine: boolean;
  readonly isError?: boolean;
  readonly text: string;
  readonly blocks?: readonly unknown[];
  readonly files?: readonly string[];
  /** What stands beside the name of the sender. */
  readonly aside?: ReactNode;
  readonly children?: ReactNode;
}

/** One message of a chat: calls of tools first, as they precede the answer. */
export function Bubble(props: BubbleProps) {
  const { sender, isMine, isError = false, text, blocks = [], files = [], aside, children } = props;
  return (
    <li className={`${isMine ? 'mine' : ''} ${isError ? 'wrong' : ''}`}>
      <span className="bubble-head">
        <span className="muted" dir="auto">
          {sender}
        </span>
        {aside}
      </span>
      {toolCallsOf(blocks).map(({ name, input, output, error }, index) => (
        <details key={index} className="tool-call">
          <summary>
            <span>
              Tool <strong dir="auto">{name}</strong>
            </span>
            <State of={error ? 'failed' : output === null || output === undefined ? 'called' : 'returned'} />
          </summary>
          <div className="stack">
            <span className="value-name">Arguments</span>
            <ValueView value={input} label={`Arguments of ${name}`} />
            {(output ?? error) !== undefined && (
              <>
                <span className="value-name">{error ? 'Error' : 'Result'}</span>
                <ValueView value={error || output} label={`Result of ${name}`} />
              </>
            )}
          </div>
        </details>
      ))}
      {questionsOf(blocks).map((asked, index) => (
        <QuestionText key={index} {...asked} />
      ))}
      {text !== '' && <LongText text={text} label={`Message of ${sender}`} />}
      {files.length > 0 && (
        <p className="muted" dir="auto">
          Files: {files.map((path) => path.split('/').at(-1)).join(', ')}
        </p>
      )}
      {children}
    </li>
  );
}

/** What a run asked a person, and what they chose. */
export function QuestionText({ prompt, answer, isOver }: Question) {
  return (
    <>
      <LongText text={prompt} label="Question to a person" />
      <p className="muted">
        {answer !== null ? 'Answered: ' : isOver ? 'Not answered' : 'Waits for an answer'}
        {answer !== null && <strong dir="auto">{answer}</strong>}
      </p>
    </>
  );
}

/** A message of a session as it is stored, with a link to its run. */
export function StoredBubble({ message }: { readonly message: ConversationMessage }) {
  return <Bubble {...bubbleOfStored(message)} />;
}

/** What the bubble of a stored message shows. */
export function bubbleOfStored(message: ConversationMessage): BubbleProps {
  const { run_id: run } = message;
  return {
    sender: message.sender_name || message.sender,
    isMine: message.sender === 'User',
    isError: message.error,
    text: message.text,
    blocks: message.content_blocks,
    files: message.files,
    aside: (
      <span className="row muted" title={exactTime(message.timestamp)}>
        <Time of={message.timestamp} />
        {run !== null && <Link href={`/runs/${run}`}>run</Link>}
      </span>
    ),
    children: message.cut && (
      <p className="muted">
        The text is longer.{' '}
        {run !== null && <Link href={`/runs/${run}?tab=messages`}>Read the whole message on its run</Link>}
      </p>
    ),
  };
}

/** A button for the older messages of a session, and why they could not be read. */
export function Older({ pages }: { readonly pages: ReturnType<typeof useConversationMessages>['pages'] }) {
  return (
    <>
      {pages.error !== null && <ErrorNote error={pages.error} retry={() => void pages.refetch()} />}
      {pages.hasNextPage && (
        <div className="row center">
          <Button size="small" disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            {pages.isFetchingNextPage ? 'Loading…' : 'Older messages'}
          </Button>
        </div>
      )}
    </>
  );
}

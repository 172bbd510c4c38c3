import type { RunMessages } from '@millrace/engine';
import type { MessageQuery, RunMoment } from '@millrace/flow';
import type { MessageRow, SessionHistory } from '@millrace/runs';
import type { Message } from '@millrace/python-text';
import { fromMessageRow, toMessageRow } from '../records/message-row';

interface LoggedMessage {
  readonly message: Message;
  readonly row: MessageRow;
  readonly at: RunMoment;
}

/**
 * The messages of one attempt. They become visible to other runs only when the outcome of the attempt becomes that of
 * the run, so that a retried attempt does not store its messages twice. The attempt reads its own messages, if the
 * moment of the read sees the moment at which they were stored.
 */
export class RunMessageLog implements RunMessages {
  readonly #logged: LoggedMessage[];
  readonly #history: Pick<SessionHistory, 'recent'>;
  readonly #userId: string;
  readonly #flowId: string;

  constructor(
    history: Pick<SessionHistory, 'recent'>,
    userId: string,
    flowId: string,
    parent?: RunMessageLog,
  ) {
    this.#history = history;
    this.#userId = userId;
    this.#flowId = flowId;
    this.#logged = parent === undefined ? [] : parent.#logged;
  }

  /** All messages of the attempt, ordered by time. */
  get rows(): readonly MessageRow[] {
    return this.#byTime().map(({ row }) => row);
  }

  /** Returns the messages of a sub-flow: stored with those of the attempt, read by that flow only. */
  ofPart(flowId: string): RunMessageLog {
    return new RunMessageLog(this.#history, this.#userId, flowId, this);
  }

  async store(message: Message, at: RunMoment): Promise<void> {
    this.#logged.push({ message, row: toMessageRow(message, this.#userId, this.#flowId), at });
  }

  async read(query: MessageQuery, at: RunMoment): Promise<readonly Message[]> {
    const own = this.#byTime()
      .filter((logged) => logged.row.flowId === this.#flowId && at.sees(logged.at))
      .map(({ message }) => message)
      .filter((message) => matches(message, query));
    const stored = await this.#history.recent(this.#userId, this.#flowId, query.sessionId, {
      limit: query.limit,
      contextId: query.contextId,
      sender: query.sender,
      senderName: query.senderName,
    });
    const newest = [...stored.filter((row) => !row.error).map(fromMessageRow), ...own].slice(-query.limit);
    return query.order === 'ascending' ? newest : newest.reverse();
  }

  /** A message has its creation time, which can be before that of messages that were stored earlier. */
  #byTime(): readonly LoggedMessage[] {
    return this.#logged.toSorted((one, other) => {
      const milliseconds = one.row.timestamp.getTime() - other.row.timestamp.getTime();
      if (milliseconds !== 0) return milliseconds;
      // Only the text contains the microseconds.
      const [first, second] = [one.message.fields.timestamp, other.message.fields.timestamp];
      return first === second ? 0 : first < second ? -1 : 1;
    });
  }
}

function matches({ fields }: Message, query: MessageQuery): boolean {
  return (
    !fields.error &&
    fields.sessionId === query.sessionId &&
    (query.contextId === undefined || fields.contextId === query.contextId) &&
    (query.sender === undefined || fields.sender === query.sender) &&
    (query.senderName === undefined || fields.senderName === query.senderName)
  );
}

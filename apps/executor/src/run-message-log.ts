import type { RunMessages } from '@millrace/engine';
import type { Message, MessageQuery } from '@millrace/flow';
import type { MessageRow, SessionHistory } from '@millrace/runs';
import { fromMessageRow, toMessageRow } from './message-row';

/**
 * The messages of one attempt. They become visible to others only when the attempt ends as the run's result (a
 * failed attempt that is tried again must not leave its messages twice); the attempt itself reads its own at once.
 */
export class RunMessageLog implements RunMessages {
  readonly rows: MessageRow[];
  readonly #messages: Message[];
  readonly #history: Pick<SessionHistory, 'recent'>;
  readonly #userId: string;
  readonly #flowId: string;

  constructor(
    history: Pick<SessionHistory, 'recent'>,
    userId: string,
    flowId: string,
    whole?: RunMessageLog,
  ) {
    this.#history = history;
    this.#userId = userId;
    this.#flowId = flowId;
    this.rows = whole?.rows ?? [];
    this.#messages = whole === undefined ? [] : whole.#messages;
  }

  /** The messages of a flow that runs as a part of this one: kept with the attempt's, read by that flow alone. */
  ofPart(flowId: string): RunMessageLog {
    return new RunMessageLog(this.#history, this.#userId, flowId, this);
  }

  async store(message: Message): Promise<void> {
    const row = toMessageRow(message, this.#userId, this.#flowId);
    const position = this.rows.findIndex(({ id }) => id === row.id);
    if (position === -1) {
      this.rows.push(row);
      this.#messages.push(message);
    } else {
      this.rows[position] = row;
      this.#messages[position] = message;
    }
  }

  async read(query: MessageQuery): Promise<readonly Message[]> {
    const own = this.#messages.filter(
      (message) => message.fields.flowId === this.#flowId && matches(message, query),
    );
    const stored = await this.#history.recent(this.#userId, this.#flowId, query.sessionId, {
      limit: query.limit,
      ...(query.contextId === undefined ? {} : { contextId: query.contextId }),
      ...(query.sender === undefined ? {} : { sender: query.sender }),
      ...(query.senderName === undefined ? {} : { senderName: query.senderName }),
    });
    const newest = [...stored.filter((row) => !row.error).map(fromMessageRow), ...own].slice(-query.limit);
    return query.order === 'ascending' ? newest : newest.reverse();
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

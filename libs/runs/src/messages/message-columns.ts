import { booleanArray, textArray, timestampArray, uuidArray } from '@millrace/database';
import type { LongTexts } from '@millrace/messages';
import { storableText } from '@millrace/python-text';
import type { TextTemplates } from '../text-templates/text-templates';
import { WHOLE_BODY } from '../text-templates/whole-text';
import type { MessageRow } from './message-row';

/** The fields in the column `body`, as JSON. */
type MessageBody = Pick<
  MessageRow,
  'text' | 'files' | 'edit' | 'properties' | 'category' | 'contentBlocks' | 'duration' | 'sessionMetadata'
>;

/** A message as `MESSAGE_COLUMNS` selects it. */
export type StoredMessage = Omit<MessageRow, keyof MessageBody> & { readonly body: string };

export const MESSAGE_COLUMNS = `messages.id, messages.flow_id AS "flowId", messages.user_id AS "userId",
  messages.session_id AS "sessionId", messages.context_id AS "contextId", messages.run_id AS "runId",
  messages.timestamp, messages.sender, messages.sender_name AS "senderName", messages.error, ${WHOLE_BODY} AS body`;

const INSERTED_COLUMNS = `id, flow_id, session_id, context_id, run_id, timestamp, sender, sender_name, error, body`;

/**
 * Returns the SQL that stores the messages of `messageParameters` (from parameter number `first` on) in their order, if
 * their run is among those that `ended` (a CTE of id, flow_id, user_id) returned. The user is the run's; the flow is
 * the run's flow or a sub-flow that it ran.
 */
export function insertMessagesOf(ended: string, first: number): string {
  const types = ['uuid', 'uuid', 'text', 'text', 'uuid', 'timestamptz', 'text', 'text', 'boolean', 'text'];
  const arrays = types.map((type, index) => `$${first + index}::${type}[]`).join(', ');
  return `INSERT INTO messages (${INSERTED_COLUMNS}, user_id)
    SELECT given.id, given.flow_id, session_id, context_id, run_id, timestamp, sender, sender_name, error, body,
      ended.user_id
    FROM unnest(${arrays}) WITH ORDINALITY AS given (${INSERTED_COLUMNS}, ordinality)
    JOIN ${ended} AS ended ON ended.id = given.run_id ORDER BY ordinality
    ON CONFLICT (id) DO NOTHING`;
}

/** Returns the parameters of `insertMessagesOf`; each message belongs to the run that contains it. */
export function messageParameters(
  runs: readonly { readonly id: string; readonly messages: readonly MessageRow[] }[],
  templates: TextTemplates,
): unknown[] {
  const rows = runs.flatMap(({ messages }) => messages);
  const runIds = runs.flatMap(({ id, messages }) => messages.map(() => id));
  return [
    uuidArray(rows.map((row) => row.id)),
    uuidArray(rows.map((row) => row.flowId)),
    textArray(rows.map((row) => storableText(row.sessionId))),
    textArray(rows.map((row) => storableText(row.contextId))),
    uuidArray(runIds),
    timestampArray(rows.map((row) => row.timestamp)),
    textArray(rows.map((row) => storableText(row.sender))),
    textArray(rows.map((row) => storableText(row.senderName))),
    booleanArray(rows.map((row) => row.error)),
    textArray(
      rows.map((row, index) =>
        templates.write('message', longTextsOf(row)?.write(bodyOf(row)) ?? messageBody(row), {
          runId: runIds[index] ?? null,
          flowId: row.flowId,
          sessionId: null,
        }),
      ),
    ),
  ];
}

/** SQL for a message's text as JSON writes it, used for ordering; it can contain what PostgreSQL's text type cannot. */
export const BODY_TEXT = `substring(${WHOLE_BODY} from '^[{]"text":"((?:[^"\\\\]|\\\\.)*)"') COLLATE "C"`;

/** For messages with long texts those of their run. */
const longTexts = new WeakMap<MessageRow, LongTexts>();

/** Lets messages be written with the long texts of their run, so that none of these is escaped again. */
export function shareLongTexts(rows: readonly MessageRow[], texts: LongTexts): void {
  for (const row of rows) if (texts.has(row.text)) longTexts.set(row, texts);
}

export function longTextsOf(row: MessageRow): LongTexts | undefined {
  return longTexts.get(row);
}

/** Returns the JSON of the column `body`. The message's text comes first, see BODY_TEXT. */
export function messageBody(row: MessageBody): string {
  return JSON.stringify(bodyOf(row));
}

function bodyOf(row: MessageBody): MessageBody {
  const { text, files, edit, properties, category, contentBlocks, duration, sessionMetadata } = row;
  return { text, files, edit, properties, category, contentBlocks, duration, sessionMetadata };
}

/** Builds a message from its columns. */
export function toMessageRow({ body, ...columns }: StoredMessage): MessageRow {
  return { ...columns, ...(JSON.parse(body) as MessageBody) };
}

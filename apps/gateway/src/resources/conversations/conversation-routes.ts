import type { Database } from '@millrace/database';
import { HttpError } from '@millrace/http';
import { listConversations, readConversation } from '@millrace/runs';
import type { Conversation, MessagePosition, MessageRow } from '@millrace/runs';
import { sendJson } from '../../http/answers/send-json';
import { forReading } from '../../http/routing/access';
import { json, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import { keyedRoute } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { pythonIsoFormat } from '../../http/validation/date-time';
import { integerParameter, uuidParameter } from '../../http/validation/query';
import { missing, valueError } from '../../http/validation/validation-items';
import { collectValidationErrors, invalidRequest } from '../../http/validation/validator';
import type { ReadYourWrites } from '../../runs/read-your-writes';
import { beginningOf } from '../messages/beginning-of';
import { cursorParameter, runCursor } from '../runs/run-cursor';
import { conversationListSchema, conversationMessagesSchema } from './conversation-schemas';

export interface ConversationRoutesOptions {
  readonly database: Database;
  readonly readYourWrites: ReadYourWrites;
}

const MAXIMUM_PAGE_SIZE = 100;
const TEXT_LIMIT = { absent: 20_000, minimum: 1, maximum: 1_000_000 };
const limit = queryParameter('integer', 'Maximum number of entries, up to 100', { minimum: 1 });
const cursor = queryParameter('string', 'The next_cursor of an earlier answer to the same question');

const operations = {
  list: {
    summary: 'List sessions with a run that is kept, that with the newest run first',
    query: {
      flow_id: queryParameter('uuid', 'Only sessions of this flow'),
      session_id: queryParameter('string', 'Only this session, in each flow that has it'),
      cursor,
      limit,
    },
    answers: {
      200: json(
        'The sessions, and where the next page begins. A page can be short before the last one',
        conversationListSchema,
      ),
    },
  },
  messages: {
    summary: 'Read the messages of a session, newest first',
    query: {
      flow_id: { ...queryParameter('uuid', 'The flow'), required: true },
      session_id: { ...queryParameter('string', 'The session'), required: true },
      cursor,
      limit,
      text_limit: queryParameter('integer', 'Longer texts are cut to this many characters', { minimum: 1 }),
    },
    answers: {
      200: json(
        'The messages, and where the older ones begin. A page of long messages is short',
        conversationMessagesSchema,
      ),
    },
  },
} as const satisfies Record<string, Operation>;

/** Routes that read sessions page by page. */
export function conversationRoutes({
  database,
  readYourWrites,
}: ConversationRoutesOptions): readonly Route[] {
  const limitOf = ({ query }: KeyedCall) =>
    integerParameter(query, 'limit', { absent: 50, minimum: 1, maximum: MAXIMUM_PAGE_SIZE });
  const list = async (call: KeyedCall) => {
    const { query, response, principal } = call;
    const [flowId, after, count] = collectValidationErrors(
      () => uuidParameter(query, 'flow_id'),
      () => cursorParameter(query),
      () => limitOf(call),
    );
    await readYourWrites.settled(principal.userId);
    const sessionId = query.get('session_id') ?? undefined;
    const filter = { userId: principal.userId, flowId, sessionId };
    const found = await listConversations(database, filter, { limit: count, after });
    sendJson(response, 200, {
      conversations: found.conversations.map(conversationView),
      next_cursor: found.next && runCursor(found.next),
    });
  };
  const messages = async (call: KeyedCall) => {
    const { query, response, principal } = call;
    const [flowId, sessionId, after, count, textLimit] = collectValidationErrors(
      () => uuidParameter(query, 'flow_id') ?? absent('flow_id'),
      () => query.get('session_id') ?? absent('session_id'),
      () => positionParameter(query),
      () => limitOf(call),
      () => integerParameter(query, 'text_limit', TEXT_LIMIT),
    );
    await readYourWrites.settled(principal.userId);
    const wanted = { userId: principal.userId, flowId, sessionId, limit: count, after };
    const found = await readConversation(database, wanted);
    sendJson(response, 200, {
      messages: found.messages.map((message) => messageView(message, textLimit)),
      next_cursor: found.next && positionCursor(found.next),
    });
  };
  const path = '/api/v1/conversations';
  return [
    keyedRoute(`GET ${path}`, forReading, operations.list, list),
    keyedRoute(`GET ${path}/messages`, forReading, operations.messages, messages),
  ];
}

function absent(name: string): never {
  throw invalidRequest([missing(['query', name], null)]);
}

function conversationView({ flowId, sessionId, run, last }: Conversation): Record<string, unknown> {
  return {
    flow_id: flowId,
    session_id: sessionId,
    last_run: { id: run.id, status: run.status, accepted_at: pythonIsoFormat(run.acceptedAt) },
    last_message: last && {
      sender: last.sender,
      sender_name: last.senderName,
      text: last.text,
      timestamp: pythonIsoFormat(last.timestamp),
    },
  };
}

function messageView(message: MessageRow, textLimit: number): Record<string, unknown> {
  const text = beginningOf(message.text, textLimit);
  return {
    id: message.id,
    run_id: message.runId,
    timestamp: pythonIsoFormat(message.timestamp),
    sender: message.sender,
    sender_name: message.senderName,
    text,
    cut: text.length < message.text.length,
    error: message.error || message.category === 'error',
    files: message.files,
    content_blocks: message.contentBlocks,
  };
}

const positionCursor = ({ microseconds, position }: MessagePosition): string =>
  Buffer.from(`${microseconds}.${position}`).toString('base64url');

function positionParameter(query: URLSearchParams): MessagePosition | undefined {
  const text = query.get('cursor');
  if (text === null) return undefined;
  const [, microseconds, position] =
    /^(\d{1,16})\.(\d{1,18})$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (position !== undefined) return { microseconds: Number(microseconds), position: Number(position) };
  throw new HttpError('invalid_request', [
    valueError(['query', 'cursor'], text, 'Input should be the next_cursor of an earlier answer'),
  ]);
}

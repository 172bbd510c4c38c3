import { idListSchema } from '../../http/bodies/id-list-schema';
import { messageChangesSchema } from './message-changes-body';
import { sessionListSchema } from './session-list-schema';
import type { MessageChangesBody } from './message-changes-body';
import { HttpError } from '@millrace/http';
import type {
  MessageChanges,
  MessageFilter,
  MessageOrder,
  MessageRow,
  MessageStore,
  SessionPage,
} from '@millrace/runs';
import type { LangflowRelease } from '@millrace/service';
import { Message, storableText, timestamp } from '@millrace/python-text';
import { collectValidationErrors, createValidator, invalidRequest } from '../../http/validation/validator';
import { missing } from '../../http/validation/validation-items';
import { optionalFlag } from '../../http/validation/flag';
import { integerParameter, uuidParameter } from '../../http/validation/query';
import { sessionPrefix } from '../../end-users/end-user-sessions';
import { requireBody } from '../../http/validation/require-body';
import { forManagement, forReading } from '../../http/routing/access';
import { pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson, sendNothing } from '../../http/answers/send-json';
import { normalizeUuid, parseUuidStrictly } from '../../http/validation/uuid-text';
import type { ReadYourWrites } from '../../runs/read-your-writes';
import { beginningOf } from './beginning-of';
import { legacyBlocks } from './legacy-blocks';
import { messageOperations } from './message-operations';

export interface MessageRoutesOptions {
  readonly messages: MessageStore;
  readonly readYourWrites: ReadYourWrites;
  readonly release: LangflowRelease;
}

const checkIds = createValidator(idListSchema);
const checkChanges = createValidator(messageChangesSchema);
const checkSessions = createValidator(sessionListSchema);
const MAXIMUM_DELETED_SESSIONS = 500;
const TOO_MANY_SESSIONS = `Cannot delete more than ${MAXIMUM_DELETED_SESSIONS} sessions at once. Please batch your requests.`;
const MAXIMUM_PAGE_SIZE = 10_000;
/** How many sessions, and how many of the newest messages, are listed without a limit, and at most. */
const DEFAULT_LENGTH = 100;
const MAXIMUM_LENGTH = 200;
const TEXT_LIMIT = { absent: 1_000_000_000, minimum: 1, maximum: 1_000_000_000 };
const OFFSET = { absent: 0, minimum: 0, maximum: 1_000_000_000 };
/** Sort keys of messages by Langflow's names. An empty parameter sorts by time. */
const orders: ReadonlyMap<string, MessageOrder> = new Map([
  ['', 'timestamp'],
  ['timestamp', 'timestamp'],
  ['sender', 'sender'],
  ['sender_name', 'senderName'],
  ['session_id', 'sessionId'],
  ['text', 'text'],
]);

/** Routes that list, edit and delete messages, and that list, rename and delete sessions. */
export function messageRoutes({ messages, readYourWrites, release }: MessageRoutesOptions): readonly Route[] {
  /** Waits until the messages of answered runs are stored, so that the caller sees them. */
  const waitForRecords = (userId: string) => readYourWrites.settled(userId);

  const list = async (call: KeyedCall) => {
    const { query, response, principal } = call;
    const [filter, textLimit] = collectValidationErrors(
      () => ({ ...filterOf(query, principal.userId, release), sessionPrefix: prefixOf(call) }),
      () => integerParameter(query, 'text_limit', TEXT_LIMIT),
    );
    await waitForRecords(principal.userId);
    const found = await messages.list(filter);
    sendJson(
      response,
      200,
      found.map((message) => messageView({ ...message, text: beginningOf(message.text, textLimit) })),
    );
  };
  const remove = async ({ body, response, principal }: KeyedCall) => {
    checkIds(requireBody(body));
    await waitForRecords(principal.userId);
    await messages.delete(
      principal.userId,
      (body as readonly string[]).map((id) => normalizeUuid(id) ?? id),
    );
    sendNothing(response);
  };
  const sessions = async (call: KeyedCall) => {
    const { query, response, principal } = call;
    const [flowId, newest] = collectValidationErrors(
      () => uuidParameter(query, 'flow_id'),
      () => (release === '1.11' ? undefined : sessionPage(query)),
    );
    await waitForRecords(principal.userId);
    const prefix = prefixOf(call);
    sendJson(response, 200, await messages.sessions({ userId: principal.userId, flowId, prefix, newest }));
  };
  const removeSessions = async ({ body, response, principal }: KeyedCall) => {
    checkSessions(requireBody(body));
    const ids = new Set(body as readonly string[]);
    if (ids.size > MAXIMUM_DELETED_SESSIONS) throw new HttpError('invalid_value', TOO_MANY_SESSIONS);
    await waitForRecords(principal.userId);
    let deleted = 0;
    for (const id of ids) if ((await messages.deleteSession(principal.userId, id)) > 0) deleted += 1;
    const message =
      deleted === 0
        ? 'No sessions to delete'
        : `Messages deleted successfully for ${deleted} session${deleted === 1 ? '' : 's'}`;
    sendJson(response, 200, { message, deleted_count: deleted });
  };
  const edit = async ({ request, body, response, principal }: KeyedCall) => {
    const [id] = collectValidationErrors(
      () => parseUuidStrictly(pathParameter(request, 'message_id'), ['path', 'message_id']),
      () => checkChanges(requireBody(body)),
    );
    await waitForRecords(principal.userId);
    const changed = await messages.update(principal.userId, id, (stored) =>
      changesOf(body as MessageChangesBody, stored, release),
    );
    if (!changed) throw new HttpError('not_found', 'Message not found');
    sendJson(response, 200, editedView(changed));
  };
  const rename = async ({ request, query, response, principal }: KeyedCall) => {
    const newSessionId = query.get('new_session_id');
    if (newSessionId === null) throw invalidRequest([missing(['query', 'new_session_id'], null)]);
    await waitForRecords(principal.userId);
    const renamed = await messages.renameSession(
      principal.userId,
      pathParameter(request, 'session_id'),
      newSessionId,
    );
    if (renamed.length === 0) throw new HttpError('not_found', 'No messages found with the given session ID');
    sendJson(response, 200, renamed.map(messageView));
  };
  const removeSession = async ({ request, response, principal }: KeyedCall) => {
    await waitForRecords(principal.userId);
    await messages.deleteSession(principal.userId, pathParameter(request, 'session_id'));
    sendNothing(response);
  };

  const root = '/api/v1/monitor/messages';
  return [
    { method: 'GET', path: root, access: forReading, operation: messageOperations.list, handle: list },
    {
      method: 'DELETE',
      path: root,
      access: forManagement,
      body: 'json',
      operation: messageOperations.remove,
      handle: remove,
    },
    {
      method: 'GET',
      path: `${root}/sessions`,
      access: forReading,
      operation: messageOperations.sessions,
      handle: sessions,
    },
    {
      method: 'DELETE',
      path: `${root}/sessions`,
      access: forManagement,
      body: 'json',
      operation: messageOperations.removeSessions,
      handle: removeSessions,
    },
    {
      method: 'PUT',
      path: `${root}/:message_id`,
      access: forManagement,
      body: 'json',
      operation: messageOperations.edit,
      handle: edit,
    },
    {
      method: 'PATCH',
      path: `${root}/session/:session_id`,
      access: forManagement,
      operation: messageOperations.rename,
      handle: rename,
    },
    {
      method: 'DELETE',
      path: `${root}/session/:session_id`,
      access: forManagement,
      operation: messageOperations.removeSession,
      handle: removeSession,
    },
  ];
}

/** What the sessions of the end user that the request, or its query, names begin with; undefined for none. */
function prefixOf({ query, endUser }: KeyedCall): string | undefined {
  const name = endUser ?? query.get('end_user_id');
  return name ? sessionPrefix(name) : undefined;
}

/** Reads which of the newest sessions a caller wants; a limit of 0 counts as none, as in Langflow. */
function sessionPage(query: URLSearchParams): SessionPage {
  const [limit, offset] = collectValidationErrors(
    () => integerParameter(query, 'limit', { absent: 0, minimum: 0, maximum: MAXIMUM_LENGTH }),
    () => integerParameter(query, 'offset', OFFSET),
  );
  return { limit: limit === 0 ? DEFAULT_LENGTH : limit, offset };
}

/** As in Langflow 1.13, a list is part of the newest messages; that of one run, which only this server has, begins with the first. */
function filterOf(query: URLSearchParams, userId: string, release: LangflowRelease): MessageFilter {
  const [flowId, runId, limit, offset] = collectValidationErrors(
    () => uuidParameter(query, 'flow_id'),
    () => uuidParameter(query, 'run_id'),
    () => integerParameter(query, 'limit', { absent: 0, minimum: 0, maximum: MAXIMUM_PAGE_SIZE }),
    () => integerParameter(query, 'offset', OFFSET),
  );
  const isNewest = release !== '1.11' && runId === undefined;
  const [standard, most] = isNewest
    ? [DEFAULT_LENGTH, MAXIMUM_LENGTH]
    : [MAXIMUM_PAGE_SIZE, MAXIMUM_PAGE_SIZE];
  return {
    userId,
    flowId,
    runId,
    order: directionOf(lastWord(query, 'order') ?? 'ASC'),
    orderBy: orderOf(lastWord(query, 'order_by') ?? 'timestamp'),
    sessionId: decodedAgain(query.get('session_id')),
    sender: query.get('sender') ?? undefined,
    senderName: query.get('sender_name') ?? undefined,
    // 0 counts as none, as in Langflow.
    limit: limit === 0 ? standard : Math.min(limit, most),
    isNewest,
    offset,
  };
}

/**
 * Decodes percent-escapes that are left in a parameter, as in Langflow: clients encode an id, and their HTTP library
 * encodes it again.
 */
function decodedAgain(value: string | null): string | undefined {
  return value?.replace(/(?:%[\da-f]{2})+/gi, (escapes) =>
    storableText(Buffer.from(escapes.replaceAll('%', ''), 'hex').toString()),
  );
}

/** Returns the last entry of a parameter that is split at commas, as in Langflow. */
function lastWord(query: URLSearchParams, name: string): string | undefined {
  return query.getAll(name).at(-1)?.split(',').at(-1);
}

function directionOf(text: string): 'ascending' | 'descending' {
  if (/^asc$/i.test(text)) return 'ascending';
  if (/^desc$/i.test(text)) return 'descending';
  throw new HttpError('invalid_value', `Invalid order direction: ${text}`);
}

function orderOf(text: string): MessageOrder {
  const order = orders.get(text);
  if (order !== undefined) return order;
  throw new HttpError('invalid_value', `Invalid order_by field: ${text}`);
}

/** Returns a message in the shape of lists and of renamed sessions, with its files as JSON text. */
function messageView(message: MessageRow): Record<string, unknown> {
  return {
    id: message.id,
    flow_id: message.flowId,
    timestamp: timestamp(message.timestamp.getTime()),
    sender: message.sender,
    sender_name: message.senderName,
    session_id: message.sessionId,
    context_id: contextOf(message),
    text: message.text,
    files: JSON.stringify(message.files),
    edit: message.edit,
    duration: message.duration,
    properties: message.properties,
    category: message.category,
    content_blocks: message.contentBlocks,
    session_metadata: message.sessionMetadata,
  };
}

/** Returns a message in the shape of the answer to a change. */
function editedView(message: MessageRow): Record<string, unknown> {
  return {
    timestamp: timestamp(message.timestamp.getTime()),
    sender: message.sender,
    sender_name: message.senderName,
    session_id: message.sessionId,
    context_id: contextOf(message),
    text: message.text,
    files: message.files,
    error: message.error,
    edit: message.edit,
    properties: message.properties,
    category: message.category,
    content_blocks: message.contentBlocks,
    session_metadata: message.sessionMetadata,
    id: message.id,
    flow_id: message.flowId,
    run_id: message.runId,
  };
}

/** Returns the context of a message; messages about errors have none. */
function contextOf({ category, contextId }: MessageRow): string | null {
  return category === 'error' ? null : contextId;
}

const NO_USAGE = { input_tokens: null, output_tokens: null, total_tokens: null };
const DEFAULT_PROPERTIES = new Message({ text: '' }).fields.properties;

function changesOf(body: MessageChangesBody, stored: MessageRow, release: LangflowRelease): MessageChanges {
  const [given, error] = [optionalFlag(body.edit), optionalFlag(body.error)];
  const isOtherText = typeof body.text === 'string' && body.text !== stored.text;
  return {
    edit: release === '1.11' ? (given ?? true) : isOtherText || (given ?? stored.edit),
    ...(typeof body.text === 'string' ? { text: body.text } : {}),
    ...(typeof body.sender === 'string' ? { sender: body.sender } : {}),
    ...(typeof body.sender_name === 'string' ? { senderName: body.sender_name } : {}),
    ...(typeof body.session_id === 'string' ? { sessionId: body.session_id } : {}),
    ...(typeof body.context_id === 'string' ? { contextId: body.context_id } : {}),
    ...(typeof body.category === 'string' ? { category: body.category } : {}),
    ...(body.content_blocks ? { contentBlocks: legacyBlocks(body.content_blocks) } : {}),
    ...(body.session_metadata ? { sessionMetadata: body.session_metadata } : {}),
    ...(body.files ? { files: body.files } : {}),
    ...(error === undefined ? {} : { error }),
    ...(body.properties ? { properties: wholeProperties(body.properties) } : {}),
  };
}

/** Members that are left out have the values of a new message, as in Langflow; those of its usage are null. */
function wholeProperties(given: NonNullable<MessageChangesBody['properties']>): MessageRow['properties'] {
  const { usage } = given;
  const isObject = typeof usage === 'object' && usage !== null;
  return { ...DEFAULT_PROPERTIES, ...given, ...(isObject ? { usage: { ...NO_USAGE, ...usage } } : {}) };
}

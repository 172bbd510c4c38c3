import { editedMessageSchema, listedMessageSchema, sessionsDeletedSchema } from './message-schemas';
import { sessionListSchema } from './session-list-schema';
import { idListSchema } from '../../http/bodies/id-list-schema';
import { messageChangesSchema } from './message-changes-body';
import { json, jsonBody, nothing, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';

/** Documentation of the routes for sessions and their messages. */
export const messageOperations = {
  list: {
    summary: 'List messages',
    query: {
      flow_id: queryParameter('uuid', 'Only messages of this flow'),
      session_id: queryParameter('string', 'Only messages of this session'),
      end_user_id: queryParameter('string', 'Only messages of the sessions of this end user'),
      run_id: queryParameter('uuid', 'Only messages that this run stored'),
      sender: queryParameter('string', 'Only messages of this type of sender'),
      sender_name: queryParameter('string', 'Only messages of the sender with this name'),
      order_by: queryParameter('string', 'timestamp, sender, sender_name, session_id or text', {
        pattern: '^(timestamp|sender|sender_name|session_id|text)?$',
        default: 'timestamp',
      }),
      order: queryParameter('string', 'ASC or DESC', {
        pattern: '^([aA][sS][cC]|[dD][eE][sS][cC])$',
        default: 'ASC',
      }),
      limit: queryParameter(
        'integer',
        'Maximum number of messages, the newest: 100 by default, at most 200',
        {
          minimum: 0,
        },
      ),
      offset: queryParameter('integer', 'Number of messages to skip', { minimum: 0 }),
      text_limit: queryParameter('integer', 'Longer texts are cut to this many characters', { minimum: 1 }),
    },
    answers: { 200: json('The messages', { type: 'array', items: listedMessageSchema }) },
  },
  remove: {
    summary: 'Delete messages',
    body: jsonBody(idListSchema),
    answers: { 204: nothing('The messages were deleted') },
  },
  sessions: {
    summary: 'List sessions',
    query: {
      flow_id: queryParameter('uuid', 'Only sessions of this flow'),
      end_user_id: queryParameter('string', 'Only sessions of this end user'),
      limit: queryParameter('integer', 'Maximum number of sessions: 100 by default, at most 200', {
        minimum: 0,
      }),
      offset: queryParameter('integer', 'Number of sessions to skip', { minimum: 0 }),
    },
    answers: {
      200: json('The ids of the sessions, that with the newest message first', {
        type: 'array',
        items: { type: 'string' },
      }),
    },
  },
  removeSessions: {
    summary: 'Delete the messages of up to 500 sessions',
    body: jsonBody(sessionListSchema),
    answers: { 200: json('The number of sessions that had messages', sessionsDeletedSchema) },
    errors: ['invalid_value'],
  },
  edit: {
    summary: 'Change a message',
    body: jsonBody(messageChangesSchema),
    answers: { 200: json('The changed message', editedMessageSchema) },
    errors: ['not_found'],
  },
  rename: {
    summary: 'Rename a session',
    query: { new_session_id: { ...queryParameter('string', 'The new id'), required: true } },
    answers: { 200: json('The messages of the session', { type: 'array', items: listedMessageSchema }) },
    errors: ['not_found'],
  },
  removeSession: {
    summary: 'Delete the messages of a session',
    answers: { 204: nothing('The messages were deleted') },
  },
} as const satisfies Record<string, Operation>;

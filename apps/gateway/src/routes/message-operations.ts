import {
  editedMessageSchema,
  idListSchema,
  listedMessageSchema,
  messageChangesSchema,
} from '@millrace/contracts';
import { json, jsonBody, nothing, queryParameter } from '../openapi/operation';
import type { Operation } from '../openapi/operation';

/** What the routes of sessions and their messages promise. */
export const messageOperations = {
  list: {
    summary: 'List messages',
    query: {
      flow_id: queryParameter('uuid', 'Only those of this flow'),
      session_id: queryParameter('string', 'Only those of this session'),
      sender: queryParameter('string', 'Only those of this kind of sender'),
      sender_name: queryParameter('string', 'Only those of this sender'),
      order_by: queryParameter('string', 'timestamp, sender, sender_name, session_id or text', {
        pattern: '^(timestamp|sender|sender_name|session_id|text)?$',
      }),
      order: queryParameter('string', 'ASC or DESC', { pattern: '^([aA][sS][cC]|[dD][eE][sS][cC])$' }),
      limit: queryParameter('integer', 'How many at most', { minimum: 0 }),
      offset: queryParameter('integer', 'How many to pass over', { minimum: 0 }),
    },
    answers: { 200: json('The messages', { type: 'array', items: listedMessageSchema }) },
  },
  remove: {
    summary: 'Delete messages',
    body: jsonBody(idListSchema),
    answers: { 204: nothing('They are gone') },
  },
  sessions: {
    summary: 'List sessions',
    query: { flow_id: queryParameter('uuid', 'Only those of this flow') },
    answers: { 200: json('The ids of the sessions', { type: 'array', items: { type: 'string' } }) },
  },
  edit: {
    summary: 'Change a message',
    body: jsonBody(messageChangesSchema),
    answers: { 200: json('The message as it is now', editedMessageSchema) },
    errors: ['not_found'],
  },
  rename: {
    summary: 'Rename a session',
    query: { new_session_id: { ...queryParameter('string', 'Its new id'), required: true } },
    answers: { 200: json('Its messages', { type: 'array', items: editedMessageSchema }) },
    errors: ['not_found'],
  },
  removeSession: { summary: 'Delete the messages of a session', answers: { 204: nothing('They are gone') } },
} as const satisfies Record<string, Operation>;

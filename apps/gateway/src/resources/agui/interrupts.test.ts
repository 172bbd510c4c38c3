import type { StoredRequest } from '@millrace/runs';
import { closedInterrupt, decisionOf, interruptOf, interruptReference, proposedCalls } from './interrupts';

const runId = '22222222-2222-4222-8222-222222222222';
const asked: StoredRequest = {
  runId,
  userId: 'user',
  flowId: 'flow',
  sessionId: 'session',
  request_id: 'Human-a:1',
  kind: 'node_input',
  prompt: 'Which one?',
  options: [{ action_id: 'left', label: 'Left' }],
  allowed_decisions: ['left', 'right'],
  timeout_seconds: 0,
  fallback_action: null,
  acceptedAt: new Date(0),
  pausedAt: new Date('2026-01-02T03:04:05Z'),
  dueAt: null,
  decidedAt: null,
  decidedBy: null,
};
const calls = [
  { name: 'send', args: { to: 'a' } },
  { name: 'delete', args: {} },
] as unknown as NonNullable<StoredRequest['action_requests']>;
const approval: StoredRequest = {
  ...asked,
  kind: 'tool_approval',
  options: [],
  allowed_decisions: ['approve', 'edit', 'reject', 'respond'],
  action_requests: calls,
  arguments_schemas: [{ required: ['to'], description: 'of the tool' }],
  dueAt: new Date('2026-01-02T04:00:00Z'),
  answeredBy: ['ann'],
  mayAnswer: true,
};

test('a question is an interrupt that asks for one of its choices', () => {
  const { metadata, ...interrupt } = interruptOf(asked);
  expect(interrupt).toEqual({
    id: `${runId}:Human-a:1`,
    reason: 'input_required',
    message: 'Which one?',
    responseSchema: {
      type: 'object',
      properties: { action_id: { enum: ['left', 'right'] }, values: { type: 'object' } },
      required: ['action_id'],
      additionalProperties: false,
    },
  });
  expect(metadata).toMatchObject({ run_id: runId, due_at: null, may_answer: false, timeout_seconds: 0 });
  expect(metadata).not.toHaveProperty('answered_by');
});

test('an approval is an interrupt with the call that it is about, and the members that its choices need', () => {
  const { metadata, ...interrupt } = interruptOf(approval);
  expect(interrupt).toEqual({
    id: `${runId}:Human-a:1`,
    reason: 'tool_call',
    message: 'Which one?',
    toolCallId: `${runId}:Human-a:1:0`,
    responseSchema: {
      type: 'object',
      properties: {
        approved: { type: 'boolean' },
        editedArgs: {
          type: 'object',
          required: ['to'],
          description: 'Replaces the arguments of the first call.',
        },
        message: { type: 'string', description: 'Tells the model why the call is rejected.' },
        response: { type: 'string', description: 'The model gets it in place of the result.' },
      },
      required: ['approved'],
      additionalProperties: false,
    },
    expiresAt: '2026-01-02T04:00:00.000Z',
  });
  expect(metadata).toEqual({
    request_id: 'Human-a:1',
    kind: 'tool_approval',
    prompt: 'Which one?',
    options: [],
    allowed_decisions: ['approve', 'edit', 'reject', 'respond'],
    action_requests: calls,
    run_id: runId,
    flow_id: 'flow',
    session_id: 'session',
    paused_at: '2026-01-02T03:04:05.000Z',
    due_at: '2026-01-02T04:00:00.000Z',
    may_answer: true,
    answered_by: ['ann'],
  });
  const plain = interruptOf({ ...approval, allowed_decisions: ['approve'] });
  expect(plain['responseSchema']).toMatchObject({ properties: { approved: { type: 'boolean' } } });
  expect(Object.keys((plain['responseSchema'] as { properties: object }).properties)).toEqual(['approved']);
});

test('a person edits the arguments of the first call alone', () => {
  const id = `${runId}:Human-a:1`;
  const own = [
    { id: `${id}:0`, name: 'send', args: { to: 'a' } },
    { id: `${id}:1`, name: 'delete', args: {} },
  ];
  expect(proposedCalls(approval)).toEqual(own);
  expect(proposedCalls(approval, { to: 'b' })).toEqual([{ ...own[0], args: { to: 'b' } }, own[1]]);
  expect(proposedCalls(asked)).toEqual([]);
});

test('the id of an interrupt names its run and its request', () => {
  expect(interruptReference(`${runId}:Human-a:1`)).toEqual({ runId, requestId: 'Human-a:1' });
  expect(interruptReference(`${runId.toUpperCase()}:x\ny`)).toEqual({ runId, requestId: 'x\ny' });
  for (const text of ['', runId, `${runId}:`, 'run:request', `:${runId}`])
    expect(interruptReference(text)).toBeNull();
});

test.each([
  [asked, { action_id: 'left' }, { action_id: 'left', values: {} }],
  [asked, { action_id: 'right', values: { a: 1 } }, { action_id: 'right', values: { a: 1 } }],
  [approval, { approved: true }, { action_id: 'approve', values: {} }],
  [approval, { approved: true, message: null, editedArgs: null }, { action_id: 'approve', values: {} }],
  [
    approval,
    { approved: true, editedArgs: { to: 'b' } },
    { action_id: 'edit', values: { args: { to: 'b' } } },
  ],
  [approval, { approved: false }, { action_id: 'reject', values: {} }],
  [approval, { approved: false, message: '' }, { action_id: 'reject', values: {} }],
  [approval, { approved: false, message: 'no' }, { action_id: 'reject', values: { message: 'no' } }],
  [approval, { approved: false, response: '' }, { action_id: 'respond', values: { message: '' } }],
  [approval, { approved: false, response: 'it' }, { action_id: 'respond', values: { message: 'it' } }],
])('a payload is a decision: case %#', (stored, payload, decision) => {
  expect(decisionOf(stored, payload)).toEqual(decision);
});

test.each([
  [asked, [], 'The payload is not an object.'],
  [asked, null, 'The payload is not an object.'],
  [asked, { approved: true }, 'The payload has "approved", which its responseSchema has not.'],
  [asked, { action_id: 1 }, 'payload.action_id is not a text.'],
  [asked, { action_id: 'left', values: 1 }, 'payload.values is not an object.'],
  [asked, { action_id: 'up' }, 'The interrupt allows left, right: not up.'],
  [approval, { action_id: 'approve' }, 'The payload has "action_id", which its responseSchema has not.'],
  [approval, {}, 'payload.approved is not a boolean.'],
  [approval, { approved: 'yes' }, 'payload.approved is not a boolean.'],
  [approval, { approved: true, message: 'x' }, 'An approved call has neither a message nor a response.'],
  [approval, { approved: true, response: 'x' }, 'An approved call has neither a message nor a response.'],
  [approval, { approved: false, editedArgs: {} }, 'A call that is not approved has no editedArgs.'],
  [approval, { approved: true, editedArgs: 1 }, 'payload.editedArgs is not an object.'],
  [approval, { approved: false, message: 'x', response: 'y' }, 'A payload has a message or a response.'],
  [approval, { approved: false, message: 1 }, 'A message or a response is a text.'],
  [
    { ...approval, allowed_decisions: ['edit', 'reject'] },
    { approved: true },
    'The interrupt allows edit, reject: not approve.',
  ],
])('a payload is refused: case %#', (stored, payload, message) => {
  const detail = { error: 'Invalid decision', code: 'INVALID_DECISION', message, job_id: runId };
  expect(() => decisionOf(stored, payload)).toThrow(
    expect.objectContaining({ code: 'decision_refused', detail }),
  );
});

test('a closed interrupt says who has answered it', () => {
  const decided = { decided_at: '2026-01-02T03:04:05Z', decided_by: null };
  expect(closedInterrupt('i', decided)).toMatchObject({
    code: 'not_resumable',
    detail: {
      error: 'Interrupt is closed',
      code: 'INTERRUPT_CLOSED',
      message: 'The interrupt has been answered, or its run has ended.',
      interrupt_id: 'i',
      ...decided,
    },
  });
});

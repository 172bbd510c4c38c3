import { askedOf, fieldOf, labelOf, missedText, valuesOf, vertexOf } from './open-request';

const run_id = '0199d0b2-7c1e-7000-8000-0242ac120002';

test('the id of a request names the vertex that asks', () => {
  const vertices = [`HumanInput-h:${run_id}`, `Agent-g:${run_id}:0f3a`, 'other'].map((request_id) =>
    vertexOf({ request_id, run_id }),
  );
  expect(vertices).toEqual(['HumanInput-h', 'Agent-g', 'other']);
});

test('a decision has the label of its option; a fallback has its own name', () => {
  const options = [{ action_id: 'ship_it', label: 'ship it' }];
  expect(['ship_it', 'fallback'].map((id) => labelOf({ options }, id))).toEqual(['Ship it', 'Fallback']);
});

test('a question for others names them', () => {
  expect(askedOf({ answered_by: ['ann', 'superusers'] })).toBe('The flow asks others: ann, all admins.');
});

test('an answer that was not taken says what happened', () => {
  const textOf = (detail: object, status = 409) => missedText({ status, message: 'It goes on.', detail });
  const answered = { reason: 'answered', decided_at: '2026-01-02T03:04:05Z' };
  expect(textOf({ reason: 'goes_on' })).toBe('The answer was not taken. It goes on.');
  expect(textOf({ reason: 'ended' })).toContain('the run has ended');
  expect(textOf({ reason: 'not_asked' })).toContain('does not ask this now');
  expect(textOf({ ...answered, decided_by: null })).toContain('the time of the question was over at');
  expect(textOf({ ...answered, decided_by: 'decision link' })).toMatch(/another one .* by a decision link/);
  expect(textOf({ ...answered, decided_by: 'k1' })).toMatch(/another one was given at [^b]*$/);
  expect([textOf({}, 404), textOf({}, 422)]).toEqual([expect.stringContaining('no longer kept'), undefined]);
});

test('approvals take arguments or a text; the choices of a node take nothing', () => {
  const decisions = ['approve', 'edit', 'reject', 'respond'];
  expect(decisions.map((each) => fieldOf('tool_approval', each))).toEqual([
    undefined,
    'args',
    'message',
    'message',
  ]);
  expect(decisions.map((each) => fieldOf('node_input', each))).toEqual(Array(4).fill(undefined));
});

test('arguments have to be a JSON object; an empty text is none', () => {
  expect(valuesOf('args', '{"a": 1}')).toEqual({ args: { a: 1 } });
  expect(valuesOf('message', ' ')).toEqual({});
  expect(valuesOf('message', 'no')).toEqual({ message: 'no' });
  expect(() => valuesOf('args', '[1]')).toThrow('The arguments are no JSON object.');
  expect(() => valuesOf('args', '{')).toThrow('The arguments are no JSON:');
});

import { NO_CHOICE } from '@millrace/flow';
import { durableRun } from '../testing/durable-run.fixture';
import { edge, failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';

const branches = ['branch_approve', 'branch_reject', 'branch_fallback'];
const asking = (values: object = {}) =>
  flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('HumanInput-h', 'HumanInput', {
        decisions: [' Approve', 'Reject', 'approve', ''],
        enable_fallback: true,
        ...values,
      }),
      ...branches.map((name) => node(`TextOutput-${name}`, 'TextOutput')),
    ],
    [
      edge('ChatInput-a', 'message', 'HumanInput-h', 'prompt'),
      ...branches.map((name) => edge('HumanInput-h', name, `TextOutput-${name}`, 'input_value')),
    ],
  );

const waiting = (document: unknown, show = 'TextOutput-branch_approve') =>
  durableRun((attempt) => runFlow(document, { input: 'ship it?', show, ...attempt }));

test('asks with its choices, each once, and with the fallback', async () => {
  expect(await waiting(asking()).asks()).toEqual({
    request_id: expect.stringMatching(/^HumanInput-h:/),
    kind: 'node_input',
    prompt: 'ship it?',
    options: [
      { action_id: 'approve', label: 'Approve' },
      { action_id: 'reject', label: 'Reject' },
    ],
    allowed_decisions: ['approve', 'reject', 'fallback'],
    timeout_seconds: 259_200,
    fallback_action: 'fallback',
  });
});

test.each([
  [{ value: 2, unit: 'Hours' }, 7_200],
  [{ value: 90, unit: 'Minutes' }, 5_400],
  [{ value: 0, unit: 'Days' }, 0],
  [{ value: 'soon', unit: 'Weeks' }, 0],
  [{ value: 1, unit: 'constructor' }, 86_400],
  [{ value: -1, unit: 'Days' }, 0],
  [{ value: 'Infinity', unit: 'Days' }, Number.MAX_SAFE_INTEGER],
])('waits for %p: %p seconds', async (timeout, seconds) => {
  expect((await waiting(asking({ timeout })).asks())?.timeout_seconds).toBe(seconds);
});

test.each([
  ['approve', 'TextOutput-branch_approve'],
  ['fallback', 'TextOutput-branch_fallback'],
  [NO_CHOICE, 'no vertex'],
])('the decision %p runs %p alone, with the prompt', async (action_id, output) => {
  for (const name of branches.map((branch) => `TextOutput-${branch}`)) {
    const { text } = await waiting(asking(), name).decide(action_id);
    expect(text).toBe(name === output ? 'ship it?' : undefined);
  }
});

test('a choice with the name of the fallback is one decision', async () => {
  const asked = await waiting(asking({ decisions: ['Fallback', 'Approve'] })).asks();
  expect(asked?.allowed_decisions).toEqual(['fallback', 'approve']);
});

test('a branch whose choice the node does not have does not run', async () => {
  const document = asking({ decisions: ['Approve'], enable_fallback: false });
  const { text } = await waiting(document).decide('approve');
  expect(text).toBe('ship it?');
});

test('fails when it has no choices', async () => {
  const document = asking({ decisions: ['', ' '], enable_fallback: false });
  expect(await failureOf(waiting(document).decide('approve'))).toContain('There are no choices');
});

test('a run that cannot wait fails', async () => {
  expect(await failureOf(runFlow(asking(), { input: 'x' }))).toContain('POST /api/v2/workflows');
});

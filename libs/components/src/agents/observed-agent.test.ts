import { recordingRunObserver } from '@millrace/engine/testing';
import { callTools, refuse, streamText } from '../integrations/openai/openai-server.fixture';
import { agentFlow, calculator, openAgentSuite } from './agent-flow.fixture';

const { server, ask } = openAgentSuite();

test('model calls and tool calls of an agent are steps of its vertex', async () => {
  const { lines, observer } = recordingRunObserver();
  server.answers.push(callTools(['evaluate_expression', { expression: '6*7' }]), streamText('It is 42.'));
  await ask(agentFlow(), { observer });
  expect(lines.filter((line) => line.includes('Agent-g'))).toEqual([
    'Agent-g 1 in the run',
    'model gpt-4o-mini in Agent-g 1',
    'tool evaluate_expression in Agent-g 1',
    'model gpt-4o-mini in Agent-g 1',
    'Agent-g 1 succeeded',
  ]);
  expect(lines.filter((line) => / (gpt-4o-mini|evaluate_expression) (succeeded|failed)/.test(line))).toEqual([
    'model gpt-4o-mini succeeded',
    'tool evaluate_expression succeeded',
    'model gpt-4o-mini succeeded',
  ]);
});

test('a streamed answer is observed until its last token', async () => {
  const { lines, observer } = recordingRunObserver();
  await ask(agentFlow({ stream: true }), { stream: true, observer });
  expect(lines.indexOf('model gpt-4o-mini succeeded')).toBeGreaterThan(lines.indexOf('Agent-g 1 succeeded'));
});

test('a call that fails is observed as failed', async () => {
  const { lines, observer } = recordingRunObserver();
  server.answers.push(refuse(400, { message: 'no such model' }));
  await expect(ask(agentFlow({}, [calculator]), { observer })).rejects.toThrow('no such model');
  const reason = "Error code: 400 - {'error': {'message': 'no such model'}}";
  expect(lines).toContain(`model gpt-4o-mini failed: ${reason}`);
  expect(lines).toContain(`Agent-g 1 failed: ${reason}.`);
});

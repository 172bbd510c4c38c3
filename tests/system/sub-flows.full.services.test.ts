import type { RunResponse } from '@millrace/flow';
import { forAllTests } from '@millrace/testing';
import { startTestSystem } from './test-system';
import { callingAndScriptedFlows } from './calling-flows';

const system = forAllTests(() => startTestSystem({ pools: { default: 2 } }));

test('a flow runs another flow with a script, on any executor', async () => {
  const { calling, scripted } = callingAndScriptedFlows('shouting');
  for (const flow of [calling, scripted])
    expect((await system.post('/api/v1/flows/', flow)).status).toBe(201);
  const texts = Array.from({ length: 12 }, (_, index) => `text ${index}`);
  const answers = await Promise.all(
    texts.map(async (input_value) => {
      const response = await system.post('/api/v1/run/calls-shouting', { input_value });
      const { outputs } = (await response.json()) as RunResponse;
      return outputs[0]?.outputs[0]?.outputs['message']?.message;
    }),
  );
  expect(answers).toEqual(texts.map((text) => `${text.toUpperCase()}!`));
});

test('a flow that runs a missing flow fails with that reason', async () => {
  const { calling } = callingAndScriptedFlows('absent');
  await system.post('/api/v1/flows/', calling);
  const response = await system.post('/api/v1/run/calls-absent', { input_value: 'x' });
  expect(response.status).toBe(500);
  expect(await response.text()).toContain('Flow not found');
});

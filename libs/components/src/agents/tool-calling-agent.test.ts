import { Message } from '@millrace/python-text';
import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import {
  callTools,
  streamText,
  startModelServerUnderTest,
} from '../integrations/openai/openai-server.fixture';
import { toolNode } from '../testing/tool-node.fixture';

test('uses the connected model, tools and history', async () => {
  const server = await startModelServerUnderTest();
  server.answers.push(callTools(['evaluate_expression', { expression: '2+2' }]), streamText('4'));
  const document = flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('OpenAIModel-m', 'OpenAIModel', {
        openai_api_base: server.url,
        api_key: 'sk',
        model_name: 'gpt-4.1',
      }),
      node('Memory-h', 'Memory'),
      toolNode('CalculatorComponent-t', 'CalculatorComponent'),
      node('ToolCallingAgent-g', 'ToolCallingAgent', { system_prompt: 'Be brief.' }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'ToolCallingAgent-g', 'input_value'),
      edge('OpenAIModel-m', 'model_output', 'ToolCallingAgent-g', 'llm'),
      edge('Memory-h', 'messages', 'ToolCallingAgent-g', 'chat_history'),
      edge('CalculatorComponent-t', 'component_as_tool', 'ToolCallingAgent-g', 'tools'),
      edge('ToolCallingAgent-g', 'response', 'ChatOutput-z', 'input_value'),
    ],
  );
  const history = [new Message({ text: 'earlier', sender: 'Machine' })];
  const { text, stored } = await runFlow(document, { input: '2+2?', history });
  expect(text).toBe('4');
  // Unlike an Agent it shows the texts of its tools, and not their messages.
  expect(stored.at(-1)?.fields.contentBlocks).toMatchObject([
    { contents: [{ type: 'tool_use', output: '{"result": "4"}' }, { text: '4' }, { text: '4' }] },
  ]);
  expect(server.requests[0]?.body).toMatchObject({
    model: 'gpt-4.1',
    tools: [{ function: { name: 'evaluate_expression' } }],
  });
  expect(server.requests[0]?.body.messages.map(({ role }) => role)).toContain('assistant');
  await server.close();
});

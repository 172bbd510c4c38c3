import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunUnderTest } from '../testing/flow-under-test.fixture';
import { provideFlows } from './sub-flows.fixture';
import { toolCaller } from '../testing/saved-tool-caller.fixture';
import { toolCallerNode } from '../testing/tool-caller-node.fixture';

const echo = flow(
  [node('ChatInput-i', 'ChatInput'), node('ChatOutput-o', 'ChatOutput')],
  [edge('ChatInput-i', 'message', 'ChatOutput-o', 'input_value')],
);
const { resources } = provideFlows({ 'my echo': echo });

const call = (values: Record<string, unknown>): Promise<RunUnderTest> =>
  runFlow(
    flow(
      [node('FlowTool-f', 'FlowTool', values), toolCallerNode({ input_value: 'over' })],
      [edge('FlowTool-f', 'api_build_tool', 'ToolCaller-c', 'tools')],
    ),
    { show: 'ToolCaller-c', resources, extraComponents: [toolCaller] },
  );

test('provides a flow as a tool under its own name and description, or those of the node', async () => {
  const { result } = await call({ flow_name: 'my echo' });
  expect(result?.outputs['answer']?.message).toBe('over');
  expect(result?.outputs['about']?.message).toMatchObject({
    name: 'my-echo_tool',
    description: 'What my echo does',
  });
  const named = await call({ flow_name: 'my echo', tool_name: 'say', tool_description: 'Says it.' });
  expect(named.result?.outputs['about']?.message).toMatchObject({ name: 'say', description: 'Says it.' });
});

test('reports a missing flow', async () => {
  expect(await failureOf(call({}))).toContain('Flow name is required');
  expect(await failureOf(call({ flow_name: 'nowhere' }))).toContain('Flow not found.');
});

import { edge, failureOf, flow, node } from '../testing/flow-under-test.fixture';
import { provideFlows } from './sub-flows.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';
import type { ToolCallUnderTest } from '../testing/tool-caller.fixture';

const echo = flow(
  [node('ChatInput-i', 'ChatInput'), node('ChatOutput-o', 'ChatOutput')],
  [edge('ChatInput-i', 'message', 'ChatOutput-o', 'input_value')],
);
const { resources } = provideFlows({ 'my echo': echo });

const call = (values: Record<string, unknown>): Promise<ToolCallUnderTest> =>
  callToolOf(
    node('FlowTool-f', 'FlowTool', values),
    { input_value: 'over' },
    { output: 'api_build_tool', resources },
  );

test('provides a flow as a tool under its own name and description, or those of the node', async () => {
  const { tools, result } = await call({ flow_name: 'my echo' });
  expect(result).toBe('over');
  expect(tools[0]).toMatchObject({ name: 'my-echo_tool', description: 'What my echo does' });
  const named = await call({ flow_name: 'my echo', tool_name: 'say', tool_description: 'Says it.' });
  expect(named.tools[0]).toMatchObject({ name: 'say', description: 'Says it.' });
});

test('reports a missing flow', async () => {
  expect(await failureOf(call({}))).toContain('Flow name is required');
  expect(await failureOf(call({ flow_name: 'nowhere' }))).toContain('Flow not found.');
});

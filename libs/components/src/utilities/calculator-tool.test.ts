import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import { toolCaller } from '../testing/saved-tool-caller.fixture';
import { toolCallerNode } from '../testing/tool-caller-node.fixture';

test('evaluates an expression', async () => {
  const answer = async (expression: string): Promise<unknown> =>
    (
      await runFlow(flow([node('CalculatorTool-c', 'CalculatorTool', { expression })]), {
        show: 'CalculatorTool-c',
      })
    ).text;
  expect(await answer('2*21')).toMatchObject([{ data: { result: '42' } }]);
  expect(await answer('1/0')).toMatchObject([{ data: { error: 'Error: Division by zero', input: '1/0' } }]);
});

test('is a tool that evaluates expressions', async () => {
  const document = flow(
    [node('CalculatorTool-c', 'CalculatorTool'), toolCallerNode({ expression: '7/2' })],
    [edge('CalculatorTool-c', 'api_build_tool', 'ToolCaller-c', 'tools')],
  );
  const { result } = await runFlow(document, { show: 'ToolCaller-c', extraComponents: [toolCaller] });
  expect(result?.outputs['answer']?.message).toBe('{"result":"3.5"}');
  expect(result?.outputs['about']?.message).toMatchObject({ name: 'calculator' });
});

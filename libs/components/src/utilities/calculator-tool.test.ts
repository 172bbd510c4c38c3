import { flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';

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
  const { tools, result } = await callToolOf(
    node('CalculatorTool-c', 'CalculatorTool'),
    { expression: '7/2' },
    { output: 'api_build_tool' },
  );
  expect(result).toBe('{"result":"3.5"}');
  expect(tools[0]?.name).toBe('calculator');
});

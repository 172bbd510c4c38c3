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
  expect(await answer('0x_1_0 + 0b1')).toMatchObject([{ data: { result: '17' } }]);
  expect(await answer('1/0')).toMatchObject([{ data: { error: 'Error: Division by zero', input: '1/0' } }]);
});

test.each([
  ['-3', "Invalid expression: <class 'ast.USub'>"],
  ['2*+3', "Invalid expression: <class 'ast.UAdd'>"],
  ['~a', 'Invalid expression: Unsupported operation or expression type: Name'],
  ['5%2', "Invalid expression: <class 'ast.Mod'>"],
  ['a//2', 'Invalid expression: Unsupported operation or expression type: Name'],
  [
    '-f(1)',
    'Invalid expression: Function calls like sqrt(), sin(), cos() etc. are not supported. ' +
      'Only basic arithmetic operations (+, -, *, /, **) are allowed.',
  ],
  ['{"a": 1, "b": [2, 3]}', 'Invalid expression: Unsupported operation or expression type: Dict'],
  ['{1, 2}', 'Invalid expression: Unsupported operation or expression type: Set'],
  ['1, 2', 'Invalid expression: Unsupported operation or expression type: Tuple'],
  ['1 and not 2', 'Invalid expression: Unsupported operation or expression type: BoolOp'],
  ['not 2', "Invalid expression: <class 'ast.Not'>"],
  ['1 is not 2', 'Invalid expression: Unsupported operation or expression type: Compare'],
  ['1 if 2 else 3', 'Invalid expression: Unsupported operation or expression type: IfExp'],
  ['1 if 2', "Invalid expression: expected 'else' after 'if' expression (<unknown>, line 1)"],
  ['{1: 2, 3}', "Invalid expression: ':' expected after dictionary key (<unknown>, line 1)"],
  ['{1: }', "Invalid expression: expression expected after dictionary key and ':' (<unknown>, line 1)"],
  ['{1', "Invalid expression: '{' was never closed (<unknown>, line 1)"],
  ['(1 2)', 'Invalid expression: invalid syntax. Perhaps you forgot a comma? (<unknown>, line 1)'],
  ['(1 if)', 'Invalid expression: invalid syntax (<unknown>, line 1)'],
  [
    '{(1}',
    "Invalid expression: closing parenthesis '}' does not match opening parenthesis '(' (<unknown>, line 1)",
  ],
  ["'a' 'b'", 'Invalid expression: Unsupported operation or expression type: Constant'],
  ["'a'", 'Invalid expression: Unsupported operation or expression type: Constant'],
  ['10**400', 'Error: int too large to convert to float'],
  ['10.0**400', "Error: (34, 'Numerical result out of range')"],
])('shows the error of Python for %s', async (expression, error) => {
  const { text } = await runFlow(flow([node('CalculatorTool-c', 'CalculatorTool', { expression })]), {
    show: 'CalculatorTool-c',
  });
  expect(text).toMatchObject([{ data: { error, input: expression } }]);
});

test('is a tool that evaluates expressions', async () => {
  const { tools, result } = await callToolOf(
    node('CalculatorTool-c', 'CalculatorTool'),
    { expression: '7/2' },
    { output: 'api_build_tool' },
  );
  expect(result).toBe("[JSON(text_key='text', data={'result': '3.5'}, default_value='')]");
  expect(tools[0]?.name).toBe('calculator');
});

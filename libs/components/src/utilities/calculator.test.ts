import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const document = flow(
  [node('ChatInput-a', 'ChatInput'), node('Calculator-b', 'CalculatorComponent')],
  [edge('ChatInput-a', 'message', 'Calculator-b', 'expression')],
);
const calculated = async (input: string): Promise<unknown> =>
  (await runFlow(document, { input, show: 'Calculator-b' })).text;

test.each([
  ['1+2', '3'],
  ['0.1+0.2', '0.3'],
  ['7/2', '3.5'],
  ['2+3*4', '14'],
  ['(2+3)*4', '20'],
  ['2**10', '1024'],
  ['2**3**2', '512'],
  ['1/3', '0.333333'],
  ['1/128', '0.007812'],
  ['10 - 4 - 3', '3'],
  ['1_000 * .5', '500'],
  ['2**100', '1267650600228229401496703205376'],
  ['1e3', '1000'],
  ['0*5', '0'],
  ['1 + 1 ', '2'],
  ['\n1+1\n', '2'],
  [' \n1+1', '2'],
  [' \f1+1', '2'],
  ['(\n 1 +\n 1)', '2'],
  ['1 + 1 # two', '2'],
  ['# two\n1 + \\\n1', '2'],
  ['00', '0'],
  ['0_0', '0'],
  ['1_0.0_1', '10.01'],
  ['10**308*10', 'inf'],
  ['True+1', '2'],
])('%s is %s', async (expression, result) => {
  expect(await calculated(expression)).toEqual({ result });
});

test.each([
  ['', 'invalid syntax (<unknown>, line 0)'],
  [' ', 'unexpected indent (<unknown>, line 1)'],
  ['\t', 'unexpected indent (<unknown>, line 1)'],
  [' 1', 'unexpected indent (<unknown>, line 1)'],
  ['\t 1+2', 'unexpected indent (<unknown>, line 1)'],
  [' 1+', 'unexpected indent (<unknown>, line 1)'],
  ['  $', 'unexpected indent (<unknown>, line 1)'],
  ['\n 1', 'unexpected indent (<unknown>, line 2)'],
  ['\r\n 1', 'unexpected indent (<unknown>, line 2)'],
  ['\f 1', 'unexpected indent (<unknown>, line 1)'],
  ['1\n 2', 'unexpected indent (<unknown>, line 2)'],
  ['1\n ', 'unexpected indent (<unknown>, line 2)'],
  ['\\\n 1', 'unexpected indent (<unknown>, line 2)'],
  ['\n', 'invalid syntax (<unknown>, line 1)'],
  ['\n\n', 'invalid syntax (<unknown>, line 2)'],
  [' # nothing', 'invalid syntax (<unknown>, line 1)'],
  ['1\n2', 'invalid syntax (<unknown>, line 2)'],
  ['1+\n2', 'invalid syntax (<unknown>, line 1)'],
  ['\n1 2', 'invalid syntax (<unknown>, line 2)'],
  ['\n(1', "'(' was never closed (<unknown>, line 2)"],
  ['1)', "unmatched ')' (<unknown>, line 1)"],
  ['1\\2', 'unexpected character after line continuation character (<unknown>, line 1)'],
  ['1\\\n', 'unexpected EOF while parsing (<unknown>, line 1)'],
  ['\u00a01', 'invalid non-printable character U+00A0 (<unknown>, line 1)'],
  ['it is 😀', "invalid character '😀' (U+1F600) (<unknown>, line 1)"],
  ['€5', "invalid character '€' (U+20AC) (<unknown>, line 1)"],
  ["it's", 'unterminated string literal (detected at line 1) (<unknown>, line 1)'],
  ['1_', 'invalid decimal literal (<unknown>, line 1)'],
  ['1a', 'invalid decimal literal (<unknown>, line 1)'],
  ['1\0', 'source code string cannot contain null bytes'],
  ['1+', 'invalid syntax (<unknown>, line 1)'],
  ['1 2', 'invalid syntax (<unknown>, line 1)'],
  ['$', 'invalid syntax (<unknown>, line 1)'],
  ['(1', "'(' was never closed (<unknown>, line 1)"],
  ['-5+2', 'Unsupported operation or expression type: UnaryOp'],
  ['abc', 'Unsupported operation or expression type: Name'],
  ['abs(-1)', 'Unsupported operation or expression type: Call'],
  ['a.b[1]', 'Unsupported operation or expression type: Subscript'],
  ['[1, 2]', 'Unsupported operation or expression type: List'],
  ['1 < 2', 'Unsupported operation or expression type: Compare'],
  ['"a"', 'Unsupported constant type: str'],
  ['None', 'Unsupported constant type: NoneType'],
  ['a%3', 'Unsupported binary operator: Mod'],
  ['7%3', 'Unsupported binary operator: Mod'],
  ['7//3', 'Unsupported binary operator: FloorDiv'],
  ['9**9**9', "(34, 'Numerical result out of range')"],
  ['10**400', "(34, 'Numerical result out of range')"],
  ['10.0**400', "(34, 'Numerical result out of range')"],
  ['(1-2)**0.5', "float() argument must be a string or a real number, not 'complex'"],
  ['('.repeat(200), 'too many nested parentheses (<unknown>, line 1)'],
])('rejects %.20s', async (input, reason) => {
  expect(await calculated(input)).toEqual({ error: `Invalid expression: ${reason}`, input });
});

test('reports a division by zero', async () => {
  for (const input of ['1/0', '1/(2-2)', '0**(1-2)']) {
    expect(await calculated(input)).toEqual({ error: 'Error: Division by zero', input });
  }
});

test('writes its result to the log', async () => {
  const { result } = await runFlow(document, { input: '1+2', show: 'Calculator-b' });
  expect(result?.logs['result']).toEqual([{ name: 'Log 1', message: 'Calculation result: 3', type: 'text' }]);
});

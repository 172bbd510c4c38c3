import { component, one, show } from './testing/author-component.fixture';
import { runPythonFlow } from './testing/python-flow.fixture';
import type { TestVertex } from './testing/python-flow.fixture';
import { realPool } from './testing/real-pool.fixture';
import { failureOf } from './testing/run-text.fixture';

const pool = realPool();

const textInput = 'lfx.components.input_output.text.TextInputComponent';
const textOperations = 'lfx.components.processing.text_operations.TextOperations';

/** A stock vertex whose only saved outputs are these. */
function stock(module: string, methods: Readonly<Record<string, string>>, fields = {}): TestVertex {
  const outputs = Object.entries(methods).map(([name, method]) => ({
    name,
    display_name: name,
    method,
    types: [],
    cache: true,
    value: '__UNDEFINED__',
  }));
  return { id: 'Stock-1', module, outputs, fields: { input_value: 'given', ...fields } };
}

async function shownBy(vertex: TestVertex, output: string): Promise<unknown> {
  const { shown } = await runPythonFlow(pool(), [vertex, show(`${vertex.id}.${output}`)]);
  return shown.get('Show-1');
}

describe('a file cannot name, as an output of a stock class,', () => {
  test.each([
    ['a special method', textInput, '__call__'],
    ['a private method', textInput, '_build_tool_output'],
    ['a method of the base class', textInput, 'get_function'],
    ['a further method of the base class', textInput, 'to_frontend_node'],
    ['a coroutine of the base class', textInput, 'run'],
    ['a method of its own that is no output', textOperations, 'get_operation_name'],
    ['an attribute', textInput, 'inputs'],
    ['a method that it lacks', textInput, 'absent'],
  ])('%s', async (_, module, method) => {
    const error = await failureOf(shownBy(stock(module, { text: method }), 'text'));
    expect(error).toMatchObject({ code: 'component_failed', permanent: true });
    expect(error.message).toContain(`has no output with the method '${method}'`);
  });

  test('one beside an output that it has: that one runs alone', async () => {
    const vertex = stock(textInput, { other: 'get_function', text: 'text_response' });
    expect(await shownBy(vertex, 'text')).toMatchObject({ text: 'given' });
    expect((await failureOf(shownBy(vertex, 'other'))).message).toContain("the method 'get_function'");
  });

  test('a method that no edge asks for: without edges, all outputs are computed', async () => {
    const vertex = { ...stock(textInput, { text: 'get_function' }), isOutput: true };
    const error = await failureOf(runPythonFlow(pool(), [vertex], { show: 'Stock-1' }));
    expect(error.message).toContain("the method 'get_function'");
  });
});

describe('a file can name, as an output of a stock class,', () => {
  test('a method that the class declares', async () => {
    expect(await shownBy(stock(textInput, { text: 'text_response' }), 'text')).toMatchObject({
      text: 'given',
    });
  });

  test('a method that the class adds when a field changes', async () => {
    const operation = { type: 'sortableList', value: [{ name: 'Case Conversion' }] };
    const fields = { text_input: 'a b', operation, case_type: 'uppercase' };
    expect(await shownBy(stock(textOperations, { message: 'get_message' }, fields), 'message')).toMatchObject(
      { text: 'A B' },
    );
  });

  test('its tools', async () => {
    const tools = await shownBy(stock(textInput, { component_as_tool: 'to_toolkit' }), 'component_as_tool');
    expect(tools).toBeInstanceOf(Array);
  });
});

test("an author's class has the outputs of its node: its text was approved", async () => {
  const code = component('', one, 'def run_it(self):\n    return 1\ndef _other(self):\n    return 2');
  const vertex = { id: 'Mine-1', code, outputs: [{ name: 'result', method: '_other', types: [] }] };
  expect(await shownBy(vertex, 'result')).toBe(2);
});

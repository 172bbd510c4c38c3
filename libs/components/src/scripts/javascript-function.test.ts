import { noResources } from '@millrace/engine';
import type { RunResources } from '@millrace/flow';
import { ScriptPool } from '@millrace/scripts';
import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunUnderTest } from '../testing/flow-under-test.fixture';

const scripts = new ScriptPool({
  maximumMilliseconds: 1_000,
  maximumMemoryBytes: 16 * 1024 * 1024,
  threads: 1,
});
const resources = Object.create(noResources, { scripts: { value: scripts } }) as RunResources;
afterAll(() => scripts.close());

/** A script as flow files contain it: in a field of type `code`, without conversion. */
function scripted(script: string): unknown {
  const made = node('JavaScriptFunction-s', 'JavaScriptFunction') as {
    data: { node: { template: Record<string, unknown> } };
  };
  made.data.node.template['script'] = { name: 'script', type: 'code', value: script, show: true };
  return made;
}

const run = (script: string, input: string, output = 'message'): Promise<RunUnderTest> =>
  runFlow(
    flow(
      [node('ChatInput-a', 'ChatInput'), scripted(script), node('ChatOutput-z', 'ChatOutput')],
      [
        edge('ChatInput-a', 'message', 'JavaScriptFunction-s', 'input_value'),
        edge('JavaScriptFunction-s', output, 'ChatOutput-z', 'input_value'),
      ],
    ),
    { input, resources },
  );

test('returns the result of the function', async () => {
  const upper = 'const main = (text) => text.toUpperCase() + "\\n" + text.length';
  expect((await run(upper, 'añb')).text).toBe('AÑB\n3');
  expect((await run(upper, 'other')).text).toBe('OTHER\n5');
});

test.each([
  ['input', 'x', 'message', 'x'],
  ['({ of: input, n: 1.5 })', 'x', 'message', '{"of":"x","n":1.5}'],
  ['null', 'x', 'message', ''],
  ['({ of: input })', 'x', 'data', '```json\n{\n  "of": "x"\n}\n```'],
  ['input.length', 'xyz', 'data', '```json\n{\n  "result": 3\n}\n```'],
  ['[...input]', 'xy', 'data', '```json\n{\n  "results": [\n    "x",\n    "y"\n  ]\n}\n```'],
  [
    '[...input].map((letter, n) => ({ letter, n }))',
    'xy',
    'dataframe',
    '| letter   |   n |\n|:---------|----:|\n| x        |   0 |\n| y        |   1 |',
  ],
])('%s of %s as %s', async (script, input, output, text) => {
  expect((await run(script, input, output)).text).toBe(text);
});

test.each(['dataframe', 'list'])(
  'passes the rows of a table and the objects of a list of data: %s',
  async (output) => {
    const document = flow(
      [
        node('CreateList-a', 'CreateList', { texts: ['one', 'two'] }),
        scripted('input.map(({ text }) => text + "!")'),
      ],
      [edge('CreateList-a', output, 'JavaScriptFunction-s', 'input_value')],
    );
    const { text } = await runFlow(document, { show: 'JavaScriptFunction-s', resources });
    expect(text).toEqual({ results: ['one!', 'two!'] });
  },
);

test('a failing script fails its vertex with its own error text', async () => {
  expect(await failureOf(run('throw new RangeError("no such thing")', 'x'))).toContain(
    'Error building Component JavaScript Function: \n\nThe script failed: RangeError: no such thing',
  );
  expect(await failureOf(run(' ', 'x'))).toContain('The script is empty.');
});

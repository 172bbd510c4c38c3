import type { RunEvent } from '@millrace/flow';
import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const parser = (values: Record<string, unknown>, type = 'ParserComponent'): unknown =>
  flow(
    [node('Webhook-a', 'Webhook'), node('Parser-p', type, values), node('ChatOutput-z', 'ChatOutput')],
    [
      edge('Webhook-a', 'output_data', 'Parser-p', 'input_data'),
      edge('Parser-p', 'parsed_text', 'ChatOutput-z', 'input_value'),
    ],
  );

const sample =
  '{"text":"T","n":3,"f":1.0,"b":true,"none":null,"d":{"a":1,"k":"v"},"l":["x",2],"s":"a{b}c","a b":"sp"}';

test.each([
  ['{text} {n} {f} {b} {none}', 'T 3 1.0 True None'],
  ['{d} {l} {s}', "{'a': 1, 'k': 'v'} ['x', 2] a{b}c"],
  ['{{text}} {{{text}}} ${text} %s', '{text} {T} $T %s'],
  ['<{missing}> <{ text }> {a b}', '<> <> sp'],
  ['{d[a]} {l[0]}', '1 x'],
  ['{text!r} {n:>5} {f:.2f} {n:{n}}', "'T'     3 1.00   3"],
])('fills in %s', async (pattern, expected) => {
  expect((await runFlow(parser({ pattern }), { webhook: sample })).text).toBe(expected);
});

test.each([
  ['{}', 'Format string contains positional fields'],
  ['{d.a}', "'dict' object has no attribute 'a'"],
  ['{d[zz]}', "'zz'"],
  ['{missing[0]}', 'string index out of range'],
  ['{', "Single '{' encountered in format string"],
  ['{text', "expected '}' before end of string"],
])('refuses %s', async (pattern, reason) => {
  expect(await failureOf(runFlow(parser({ pattern }), { webhook: sample }))).toBe(
    `Error running graph: Error building Component Parser: \n\n${reason}`,
  );
});

test('the older type is the same component', async () => {
  expect((await runFlow(parser({}, 'parser'), { webhook: '{"text":"t"}' })).text).toBe('Text: t');
});

const table = (values: Record<string, unknown>): unknown =>
  flow(
    [
      node('TextInput-a', 'TextInput', { input_value: 'name,age\nAnn,30\nBob,25' }),
      node('Convert-b', 'TypeConverterComponent', { auto_parse: true, output_type: 'Table' }),
      node('Parser-p', 'ParserComponent', values),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('TextInput-a', 'text', 'Convert-b', 'input_data'),
      edge('Convert-b', 'dataframe_output', 'Parser-p', 'input_data'),
      edge('Parser-p', 'parsed_text', 'ChatOutput-z', 'input_value'),
    ],
  );

test('formats each row of a table as a line; an unknown column is an error', async () => {
  expect((await runFlow(table({ pattern: '{name} is {age}', sep: '; ' }))).text).toBe('Ann is 30; Bob is 25');
  expect((await runFlow(table({ pattern: '{name}', sep: '' }))).text).toBe('AnnBob');
  expect(await failureOf(runFlow(table({ pattern: '{nope}' })))).toContain("\n\n'nope'");
});

test('stringifies data as a block of JSON and a table as Markdown', async () => {
  const values = { mode: 'Stringify', clean_data: true };
  const { text } = await runFlow(parser(values), { webhook: '{"a":"ž","b":[1,{"c":null}]}' });
  expect(text).toBe('```json\n{\n  "a": "ž",\n  "b": [\n    1,\n    {\n      "c": null\n    }\n  ]\n}\n```');
  expect((await runFlow(table(values))).text).toBe(
    '| name   |   age |\n|:-------|------:|\n| Ann    |    30 |\n| Bob    |    25 |',
  );
  const { result } = await runFlow(parser(values), { webhook: '{"a":1}', show: 'Parser-p' });
  expect(result?.logs['parsed_text']).toEqual([
    { name: 'Log 1', message: 'Converted to string with length: 24', type: 'text' },
  ]);
});

test('the fields of a message can be filled in, as those of data', async () => {
  const document = flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('Parser-p', 'parser', { pattern: '{sender_name}: {text}' }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'Parser-p', 'input_data'),
      edge('Parser-p', 'parsed_text', 'ChatOutput-z', 'input_value'),
    ],
  );
  expect((await runFlow(document, { input: 'hi' })).text).toBe('User: hi');
});

test('rejects other inputs', async () => {
  const run = runFlow(flow([node('Parser-p', 'ParserComponent')]), { show: 'Parser-p' });
  expect(await failureOf(run)).toContain(
    "Unsupported input type: <class 'NoneType'>. Expected DataFrame, Data, or list[Data].",
  );
});

test.each([
  ['{d[zz]}', 'KeyError', 'zz'],
  ["{d[it's]}", 'KeyError', "it's"],
  ['{d.a}', 'AttributeError', "'dict' object has no attribute 'a'"],
  ['{}', 'ValueError', 'Format string contains positional fields'],
])(
  'the message of a failure of %s has the class and the argument of its error',
  async (pattern, kind, text) => {
    const failures: unknown[] = [];
    const onEvent = ({ event, data }: RunEvent) => event === 'error' && failures.push(data);
    await failureOf(runFlow(parser({ pattern }), { webhook: sample, stream: true, onEvent }));
    expect(failures).toMatchObject([
      {
        text: `${text}\n`,
        content_blocks: [{ contents: [{ reason: `**${kind}**\n - **Details: ${text}**\n` }] }],
      },
    ]);
  },
);

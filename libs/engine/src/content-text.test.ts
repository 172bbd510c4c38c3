import { Data, DataFrame, Message, PythonFloat } from '@millrace/flow';
import fc from 'fast-check';
import { contentText } from './content-text';

test('values of different kinds never have the same content', () => {
  const values = [
    null,
    undefined,
    '',
    '1',
    1,
    -0,
    0,
    1n,
    new PythonFloat(1),
    Number.NaN,
    true,
    [],
    {},
    { float: 1 },
    { object: [] },
    [['a', 1]],
    { a: 1 },
    new Message({ text: '' }),
    new Data(),
    new Data({}, { textKey: 'x' }),
    new DataFrame([]),
    new DataFrame([{ a: 1 }]),
    new DataFrame([], ['a']),
  ];
  const texts = values.map(contentText);
  expect(texts).not.toContain(null);
  expect(new Set(texts).size).toBe(values.length);
});

test('a message is its content, whichever run made it', () => {
  const message = new Message({ text: 'hello', sessionId: 's' });
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const elsewhere = message.with({
    id: 'i',
    runId: 'r',
    timestamp: 'now',
    properties: { ...message.fields.properties, usage },
  });
  expect(contentText(elsewhere)).toBe(contentText(message));
  expect(contentText(message.with({ sessionId: 't' }))).not.toBe(contentText(message));
});

test('what is more than its content has none', () => {
  const model = { kind: 'language-model', provider: 'p', model: 'm', settings: {} } as const;
  async function* chunks(): AsyncGenerator<string> {
    yield 'a';
  }
  for (const value of [
    model,
    [model],
    { model },
    new Message({ text: '', stream: chunks() }),
    () => 1,
    new Map(),
  ]) {
    expect(contentText(value)).toBeNull();
  }
});

test('equal JSON has equal content, and other JSON has not', () => {
  const json = fc.jsonValue().map((value) => JSON.stringify(value));
  fc.assert(
    fc.property(json, json, (one, other) => {
      expect(contentText(JSON.parse(one))).toBe(contentText(JSON.parse(one)));
      expect(contentText(JSON.parse(one)) === contentText(JSON.parse(other))).toBe(one === other);
    }),
  );
});

import fc from 'fast-check';
import { Data, DataFrame, Message, PythonFloat } from '@millrace/python-text';
import { canonicalText } from './canonical-text';

test('values of different kinds never have the same canonical text', () => {
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
  const texts = values.map(canonicalText);
  expect(texts).not.toContain(null);
  expect(new Set(texts).size).toBe(values.length);
});

test('the canonical text of a message depends only on its content, not on its run', () => {
  const message = new Message({ text: 'hello', sessionId: 's' });
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const elsewhere = message.with({
    id: 'i',
    runId: 'r',
    timestamp: 'now',
    properties: { ...message.fields.properties, usage },
  });
  expect(canonicalText(elsewhere)).toBe(canonicalText(message));
  expect(canonicalText(message.with({ sessionId: 't' }))).not.toBe(canonicalText(message));
});

test('values that are more than their content have no canonical text', () => {
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
    expect(canonicalText(value)).toBeNull();
  }
});

test('equal JSON has equal canonical text, and different JSON has not', () => {
  const json = fc.jsonValue().map((value) => JSON.stringify(value));
  fc.assert(
    fc.property(json, json, (one, other) => {
      expect(canonicalText(JSON.parse(one))).toBe(canonicalText(JSON.parse(one)));
      expect(canonicalText(JSON.parse(one)) === canonicalText(JSON.parse(other))).toBe(one === other);
    }),
  );
});

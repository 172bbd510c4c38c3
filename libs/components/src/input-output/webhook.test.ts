import { flow, node, runFlow } from '../testing/flow-under-test.fixture';

const dataFor = async (webhook: string): Promise<unknown> => {
  const { result } = await runFlow(flow([node('Webhook-a', 'Webhook')]), { webhook, show: 'Webhook-a' });
  return result?.outputs['output_data']?.message;
};

test.each([
  ['{"a":1}', { a: 1 }],
  ['{\n  "a": 1\n}', { a: 1 }],
  ['{"a":{"b":[]}}', { a: { b: [] } }],
  ['null', {}],
  ['{"a":1,"a":2}', { a: 2 }],
])('returns the object %s unchanged', async (body, expected) => {
  expect(await dataFor(body)).toEqual(expected);
});

test.each([
  ['[1,2]', [1, 2]],
  ['"hi"', 'hi'],
  ['5', 5],
  ['true', true],
])('returns the JSON value %s under the key "payload"', async (body, payload) => {
  expect(await dataFor(body)).toEqual({ payload });
});

test.each(['just words', 'a=1&b=two', "{'a':1}", '{"a":1', '\uFEFF{"a":1}'])(
  'returns %s, which is not JSON, as text under the key "payload"',
  async (body) => {
    expect(await dataFor(body)).toEqual({ payload: body });
  },
);

test('keeps an escaped newline inside a JSON string', async () => {
  expect(await dataFor('{"a":"l1\\nl2","path":"C:\\\\new"}')).toEqual({ a: 'l1\nl2', path: 'C:\\new' });
});

test('unescapes a text that is not JSON, like any other text setting', async () => {
  expect(await dataFor('one\\ntwo')).toEqual({ payload: 'one\ntwo' });
});

test('distinguishes floats with integer values from integers', async () => {
  const { result } = await runFlow(flow([node('Webhook-a', 'Webhook')]), {
    webhook: '{"i":1,"f":1.0,"e":1e3,"big":123456789012345678901}',
    show: 'Webhook-a',
  });
  expect(result?.artifacts['output_data']).toMatchObject({
    repr: '{\n    "i": 1,\n    "f": 1.0,\n    "e": 1000.0,\n    "big": 123456789012345678901\n}',
  });
});

test('reports a missing body and a body that is not JSON', async () => {
  const shown = async (webhook: string): Promise<unknown> =>
    (await runFlow(flow([node('Webhook-a', 'Webhook')]), { webhook, show: 'Webhook-a' })).result?.artifacts;
  expect(await shown('')).toMatchObject({ output_data: { repr: 'No data provided.' } });
  expect(await shown('words')).toMatchObject({
    output_data: { repr: 'Invalid JSON payload. Please check the format.\n\nwords' },
  });
});

test('a key named __proto__ is an ordinary key', async () => {
  const value = await dataFor('{"__proto__":{"polluted":true},"a":1}');
  expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":true},"a":1}');
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test.each([
  [{ a: { b: [1, 'C:\\new'] } }, { a: { b: [1, 'C:\\new'] } }],
  [{ name: 'Ann' }, { name: 'Ann' }],
  [{ value: '{"a":1}' }, { a: 1 }],
  [{ value: { a: 1 } }, { a: 1 }],
  [
    { value: 1, b: 2 },
    { value: 1, b: 2 },
  ],
  [['C:\\new', 2.5], { payload: ['C:\\new', 2.5] }],
  [[], { payload: [] }],
  [7, { payload: 7 }],
  [false, { payload: false }],
  ['{"a":1}', { a: 1 }],
  ['{"a":"1\n2"}', { a: '1\n2' }],
  [null, {}],
])('a tweak of the data to %j is the body', async (tweak, expected) => {
  const { result } = await runFlow(flow([node('Webhook-a', 'Webhook', { data: 'saved' })]), {
    tweaks: { 'Webhook-a': { data: tweak } },
    show: 'Webhook-a',
  });
  expect(result?.outputs['output_data']?.message).toEqual(expected);
});

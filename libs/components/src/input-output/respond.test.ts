import { Data, DataFrame, Message } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { defineComponent } from '@millrace/flow';
import { edge, failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';

/** Runs a Respond vertex with a body; returns what the flow answers. */
async function answerFor(
  body: PythonValue,
  values: Readonly<Record<string, unknown>> = {},
): Promise<unknown> {
  const source = defineComponent({
    type: 'Body',
    displayName: 'Body',
    description: 'Provides the body of the test.',
    inputs: {},
    outputs: { value: { types: ['Data'] } },
    deterministic: true,
    run: () => ({ value: body }),
  });
  const document = flow(
    [node('Body-a', 'Body'), node('Respond-a', 'Respond', values)],
    [edge('Body-a', 'value', 'Respond-a', 'body')],
  );
  const { result } = await runFlow(document, { show: 'Respond-a', extraComponents: [source] });
  return result?.outputs['http_response']?.message;
}

test.each([
  ['a text', new Message({ text: 'Grüße' }), 'Grüße', 'text/plain; charset=utf-8'],
  ['a text with JSON', new Message({ text: '{"a": 1}' }), '{"a": 1}', 'application/json'],
  ['a text that begins like JSON', new Message({ text: '[a' }), '[a', 'text/plain; charset=utf-8'],
  ['data', new Data({ b: [1, null], a: 'ü' }), '{"b":[1,null],"a":"ü"}', 'application/json'],
  ['a table', new DataFrame([{ a: 1 }, { a: 2 }]), '[{"a":1},{"a":2}]', 'application/json'],
  ['a list of data', [new Data({ a: 1 }), new Data({})], '[{"a":1},{}]', 'application/json'],
])('%s is the body', async (_name, value, body, type) => {
  expect(await answerFor(value)).toEqual({ status: 200, headers: { 'content-type': type }, body });
});

test('status, content type and headers are chosen by their fields', async () => {
  const headers = [
    { key: 'Retry-After', value: 30 },
    { key: ' Cache-Control ', value: 'no-store' },
    { key: '', value: '' },
  ];
  const chosen = { status: '503', content_type: 'text/html', headers };
  expect(await answerFor(new Message({ text: '<p>later</p>' }), chosen)).toEqual({
    status: 503,
    headers: {
      'retry-after': '30',
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
    },
    body: '<p>later</p>',
  });
});

test('an answer can be without a body', async () => {
  const answer = await answerFor(null, { status: '204', headers: { etag: '"1"' } });
  expect(answer).toEqual({ status: 204, headers: { etag: '"1"' }, body: '' });
});

test.each([
  'Set-Cookie',
  'Content-Security-Policy',
  'Access-Control-Allow-Origin',
  'X-Accel-Redirect',
  'Refresh',
])('the header %s is refused', async (key) => {
  const failure = await failureOf(answerFor(null, { headers: [{ key, value: 'x' }] }));
  expect(failure).toContain(`The header ${key.toLowerCase()} cannot be set; only cache-control,`);
});

test.each([
  [{ status: '199' }, 'The status must be a whole number from 200 to 599.'],
  [{ status: '600' }, 'The status must be a whole number from 200 to 599.'],
  [{ status: 'ok' }, 'The status must be a whole number from 200 to 599.'],
  [{ status: '204' }, 'An answer with the status 204 has no body.'],
  [{ content_type: 'html' }, 'The content type must be a media type, such as text/plain.'],
  [{ headers: [{ key: 'etag', value: 'a\r\nset-cookie: b' }] }, 'a character that is not printable ASCII'],
  [{ headers: [{ key: 'etag', value: 'a'.repeat(4_097) }] }, 'has more than 4096 characters'],
])('an answer with %j fails the run', async (values, message) => {
  expect(await failureOf(answerFor(new Message({ text: 'x' }), values))).toContain(message);
});

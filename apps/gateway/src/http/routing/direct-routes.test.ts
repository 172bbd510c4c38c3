import { gatewayForTests } from '../../testing/test-gateway';
import type { Answer } from '../../testing/test-gateway';
import { directRoutes } from './direct-routes';

const gateway = gatewayForTests();
beforeAll(async () => {
  await gateway.createFlow({ name: 'direct', endpoint_name: 'direct-echo', data: { nodes: [], edges: [] } });
}, 60_000);

/** Headers that differ between requests. */
const changing = new Set(['date', 'server-timing', 'x-run-id']);

function comparable({ status, headers, text }: Answer) {
  return { status, text, headers: [...headers].filter(([name]) => !changing.has(name)) };
}

const json = { 'content-type': 'application/json', 'x-request-id': 'the-same' };
const run = '{"input_value":"hello","session_id":"direct"}';

// A parameter that has to be decoded goes through Express.
test.each([
  ['a run', '/api/v1/run/', 200, run, {}],
  ['an advanced run', '/api/v1/run/advanced/', 200, '{"session_id":"direct"}', {}],
  ['a browser of another origin', '/api/v1/run/', 200, run, { origin: 'http://elsewhere.example' }],
  ['a missing key', '/api/v1/run/', 403, run, { 'x-api-key': '' }],
  ['an invalid id', '/run/', 422, run, {}],
  ['a body that is not JSON', '/api/v1/run/', 422, '{"input_value"', {}],
  ['a NUL character in the query', '/api/v1/run/', 400, run, {}],
  ['a webhook', '/api/v1/webhook/', 503, run, {}],
])('%s has the same answer with and without Express', async (what, path, status, body, headers) => {
  const query = what.startsWith('a NUL') ? '?a=%00' : '';
  const [direct, behind] = await Promise.all(
    ['direct-echo', 'direct%2Decho'].map((name) =>
      gateway.call('POST', path + name + query, body, { ...json, ...headers }),
    ),
  );
  expect(direct?.status).toBe(status);
  expect(direct && comparable(direct)).toEqual(behind && comparable(behind));
});

test('only plain spellings of the routes are served without Express', () => {
  const direct = directRoutes({
    routes: [{ method: 'POST', path: '/api/v1/run/:flow', handle: () => undefined }],
    onRequest: () => true,
    fail: () => undefined,
  });
  const isTaken = (method: string, url: string) =>
    direct({ method, url } as Parameters<typeof direct>[0], {} as Parameters<typeof direct>[1]);
  expect(isTaken('POST', '/api/v1/run/echo')).toBe(true);
  expect(isTaken('POST', '/api/v1/run/echo?stream=a/b')).toBe(true);
  for (const url of [
    '/api/v1/run/',
    '/api/v1/run',
    '/api/v1/run/echo/',
    '/api/v1/run/a%20b',
    '/API/v1/run/echo',
  ])
    expect(isTaken('POST', url)).toBe(false);
  expect(isTaken('POST', 'http://elsewhere/api/v1/run/echo')).toBe(false);
  expect(isTaken('GET', '/api/v1/run/echo')).toBe(false);
});

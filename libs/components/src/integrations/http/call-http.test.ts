import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { ComponentContext } from '@millrace/flow';
import { callHttp } from './call-http';
import { callJson } from './call-service';
import { fakeHandler, fetchFrom, startFakeService } from './fake-service.fixture';
import type { FakeAnswer, FakeRequest, FakeService } from './fake-service.fixture';
import type { HttpCall } from './http-call';

const services: FakeService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
});

const run = (parts: Partial<ComponentContext> = {}): ComponentContext =>
  ({
    fetch,
    signal: new AbortController().signal,
    remainingMilliseconds: () => 20_000,
    ...parts,
  }) as ComponentContext;

async function serve(answer: (request: FakeRequest, count: number) => FakeAnswer): Promise<FakeService> {
  let count = 0;
  const service = await startFakeService(fakeHandler((request) => answer(request, (count += 1))));
  services.push(service);
  return service;
}

const call = (service: FakeService, parts: Partial<HttpCall> = {}): HttpCall => ({
  service: 'The fake',
  url: new URL(`${service.url}/path?key=secret`),
  ...parts,
});

test('returns the answer for any status', async () => {
  const service = await serve(() => ({ status: 404, text: 'nothing here' }));
  const answer = await callHttp(call(service), run());
  expect([answer.status, answer.body.toString(), service.asked.length]).toEqual([404, 'nothing here', 1]);
});

test.each([
  ['GET', 429, {}, 3],
  ['GET', 503, {}, 3],
  ['GET', 500, {}, 1],
  ['POST', 502, {}, 1],
  ['POST', 503, {}, 1],
  ['POST', 503, { 'retry-after': '0' }, 3],
  ['POST', 429, { 'retry-after': new Date(0).toUTCString() }, 3],
  ['GET', 429, { 'retry-after': '3600' }, 1],
] as const)('%s answered with %i and %j is sent %i times', async (method, status, headers, times) => {
  const service = await serve(() => ({ status, headers }));
  expect((await callHttp(call(service, { method }), run())).status).toBe(status);
  expect(service.asked).toHaveLength(times);
});

test('retries a transient error until it succeeds', async () => {
  const service = await serve((_request, count) => (count < 3 ? { status: 503 } : { text: 'now' }));
  expect((await callHttp(call(service), run())).body.toString()).toBe('now');
});

test('retries a broken connection only for repeatable calls', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.once('data', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const broken = { reason: 'unreachable', message: expect.stringContaining(`The fake (${url.host})`) };
  await expect(callHttp({ service: 'The fake', url, method: 'POST' }, run())).rejects.toMatchObject(broken);
  expect(connections).toBe(1);
  await expect(callHttp({ service: 'The fake', url }, run())).rejects.toMatchObject(broken);
  expect(connections).toBe(4);
  server.close();
  await once(server, 'close');
});

test('the error for an unknown host contains only the host, because the URL can contain a key', async () => {
  const url = new URL('https://unknown.test/path?key=secret');
  await expect(callHttp({ service: 'The fake', url }, run({ fetch: fetchFrom({}) }))).rejects.toMatchObject({
    message: 'The fake (unknown.test) could not be reached: ENOTFOUND',
    neverSent: true,
  });
});

test('reports a disallowed address and does not retry', async () => {
  let tries = 0;
  const refusal = Object.assign(new Error('10.0.0.1 is not a public address'), { code: 'outgoing_refused' });
  const refusing = () => Promise.reject(((tries += 1), refusal));
  const url = new URL('http://10.0.0.1/');
  await expect(callHttp({ service: 'The fake', url }, run({ fetch: refusing }))).rejects.toMatchObject({
    message: 'The fake: 10.0.0.1 is not a public address',
    reason: 'refused',
  });
  expect(tries).toBe(1);
});

test('limits the size of an answer and the time to wait for one', async () => {
  const service = await serve(() => ({ text: 'x'.repeat(2000) }));
  await expect(callHttp(call(service, { maximumBytes: 1999 }), run())).rejects.toMatchObject({
    reason: 'too_large',
  });
  expect((await callHttp(call(service, { maximumBytes: 2000 }), run())).body).toHaveLength(2000);
  const silent = createServer(() => undefined);
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const url = new URL(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/`);
  await expect(
    callHttp({ service: 'The fake', url, method: 'POST', timeoutMilliseconds: 20 }, run()),
  ).rejects.toMatchObject({ reason: 'timeout', message: `The fake (${url.host}) did not answer in time.` });
  const run20 = run({ remainingMilliseconds: () => 20 });
  await expect(callHttp({ service: 'The fake', url }, run20)).rejects.toMatchObject({ reason: 'timeout' });
  silent.close();
});

test('rejects with the reason for which the run ended', async () => {
  const service = await serve(() => ({ status: 503 }));
  const end = new AbortController();
  const ends = callHttp(call(service), run({ signal: end.signal }));
  end.abort(new Error('cancelled'));
  await expect(ends).rejects.toThrow('cancelled');
});

test('reports the error text of the service without the key', async () => {
  const service = await serve(() => ({
    status: 401,
    json: { detail: { error: 'The key tvly-1 is wrong.' } },
  }));
  const failing = callJson({ service: 'The fake', url: service.url, secrets: ['tvly-1'] }, run());
  await expect(failing).rejects.toThrow(
    'The fake answered with status 401 Unauthorized: The key *** is wrong.',
  );
  const html = await serve(() => ({ text: '<html>', headers: { 'content-type': 'text/html' } }));
  await expect(callJson({ service: 'The fake', url: html.url }, run())).rejects.toThrow('not JSON');
});

test('omits empty parameters', async () => {
  const service = await serve(() => ({ json: {} }));
  const query = { a: 'b c', none: null, empty: '', zero: 0, no: false };
  await callJson({ service: 'The fake', url: `${service.url}/x?y=1`, query }, run());
  await callJson({ service: 'The fake', url: service.url, method: 'POST', json: { a: 1 } }, run());
  expect(service.asked[0]?.query.toString()).toBe('y=1&a=b+c&zero=0&no=false');
  expect(service.asked[1]).toMatchObject({ method: 'POST', json: { a: 1 } });
});

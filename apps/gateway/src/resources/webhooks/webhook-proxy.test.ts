import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openTestGateway } from '../../testing/test-gateway';
import type { TestGateway } from '../../testing/test-gateway';

/** A port without a listener. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The answer of the webhook service. */
function accepted(message: string): string {
  return JSON.stringify({ message, status: 'in progress', run_id: '01900000-0000-7000-8000-000000000000' });
}

describe('webhooks for a separate service', () => {
  let gateway: TestGateway;
  const seen: {
    method: string | undefined;
    url: string | undefined;
    headers: NodeJS.Dict<unknown>;
    body: Buffer;
  }[] = [];
  const ingest = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      seen.push({
        method: request.method,
        url: request.url,
        headers: request.headers,
        body: Buffer.concat(parts),
      });
      if (request.method === 'GET') return response.writeHead(200, { 'content-type': 'text/plain' }).end('1');
      return response
        .writeHead(202, { 'content-type': 'application/json', 'x-run-id': 'r' })
        .end(accepted('done elsewhere'));
    });
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => ingest.listen(0, '127.0.0.1', resolve));
    const { port } = ingest.address() as AddressInfo;
    gateway = await openTestGateway({ webhooks: { forwardTo: `http://127.0.0.1:${port}` } });
  }, 60_000);
  afterAll(async () => {
    await gateway.close();
    await new Promise((resolve) => ingest.close(resolve));
  });

  test('are forwarded unread, with bytes and headers unchanged', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0x7b]);
    const answer = await gateway.call('POST', '/api/v1/webhook/order%20x?a=1', bytes, {
      'x-hub-signature': 'v1=ab',
    });
    expect(answer).toMatchObject({ status: 202, json: { message: 'done elsewhere' } });
    expect(answer.headers.get('x-run-id')).toBe('r');
    expect(seen).toMatchObject([
      { method: 'POST', url: '/api/v1/webhook/order%20x?a=1', headers: { 'x-hub-signature': 'v1=ab' } },
    ]);
    expect(seen[0]?.body.equals(bytes)).toBe(true);
  });

  test('a target in the absolute form is forwarded as its path', async () => {
    const target = 'http://elsewhere.example/api/v1/webhook/absolute?a=1';
    const sent = send({ host: '127.0.0.1', port: gateway.port, method: 'POST', path: target });
    sent.end('{}');
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(202);
    expect(seen.pop()?.url).toBe('/api/v1/webhook/absolute?a=1');
  });

  test('a large body in chunks, of a sender who expects 100, arrives whole', async () => {
    const body = Buffer.alloc(300_000, 'chunk ');
    const sent = send({
      host: '127.0.0.1',
      port: gateway.port,
      method: 'POST',
      path: '/api/v1/webhook/large',
      headers: { 'transfer-encoding': 'chunked', expect: '100-continue' },
    });
    sent.flushHeaders();
    await once(sent, 'continue');
    sent.write(body.subarray(0, 70_000));
    sent.end(body.subarray(70_000));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(202);
    expect(seen.pop()?.body.equals(body)).toBe(true);
  });

  test('the verification of an address is forwarded with its query', async () => {
    const answer = await gateway.call('GET', '/api/v1/webhook/x?hub.mode=subscribe&hub.challenge=1');
    expect(answer).toMatchObject({ status: 200, text: '1' });
    expect(seen.pop()).toMatchObject({
      method: 'GET',
      url: '/api/v1/webhook/x?hub.mode=subscribe&hub.challenge=1',
    });
  });

  test('no other requests than POST and GET are forwarded', async () => {
    expect((await gateway.call('PUT', '/api/v1/webhook/x', {})).status).toBe(405);
    expect(seen).toHaveLength(1);
  });
});

test('a sender who disconnects ends the request to the webhook service, also while it waits', async () => {
  const forwarded: IncomingMessage[] = [];
  const ingest = createServer((request, response) => {
    forwarded.push(request);
    response.writeProcessing();
  });
  await new Promise<void>((resolve) => ingest.listen(0, '127.0.0.1', resolve));
  const { port } = ingest.address() as AddressInfo;
  const gateway = await openTestGateway({ webhooks: { forwardTo: `http://127.0.0.1:${port}` } });
  const arrived = once(ingest, 'request');
  const sent = send({ host: '127.0.0.1', port: gateway.port, method: 'POST', path: '/api/v1/webhook/x' });
  sent.on('error', () => undefined);
  sent.end('{}');
  await arrived;
  const ended = once(forwarded[0]!.socket, 'close');
  sent.destroy();
  await ended;
  await gateway.close();
  await new Promise((resolve) => ingest.close(resolve));
}, 60_000);

test('when the webhook service is unreachable, callers get 503 with Retry-After', async () => {
  const gateway = await openTestGateway({ webhooks: { forwardTo: `http://127.0.0.1:${await freePort()}` } });
  await gateway.call('GET', '/health');
  const answer = await gateway.call('POST', '/api/v1/webhook/x', { a: 1 });
  expect(answer).toMatchObject({ status: 503 });
  expect(answer.headers.get('retry-after')).toBe('1');
  await gateway.close();
}, 60_000);

test('a handler in the same process gets the request itself', async () => {
  const gateway = await openTestGateway({
    webhooks: {
      handle: (request, response) =>
        response
          .writeHead(202, { 'content-type': 'application/json' })
          .end(accepted(`${request.method} ${request.url}`)),
    },
  });
  expect((await gateway.call('POST', '/api/v1/webhook/x', 'text')).json).toMatchObject({
    message: 'POST /api/v1/webhook/x',
  });
  await gateway.close();
}, 60_000);

import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOutgoingFetch, OutgoingRefusedError } from '../index';
import type { OutgoingFetch } from '../index';

type Answer = (request: IncomingMessage, body: string, response: ServerResponse) => void;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function startServer(answer: Answer, host = '127.0.0.1'): Promise<number> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, Buffer.concat(chunks).toString(), response));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return (server.address() as AddressInfo).port;
}

function outgoing(allow: string[], addresses: Record<string, string[]> = {}): OutgoingFetch {
  const outgoingFetch = createOutgoingFetch({
    allow,
    resolve: (hostname, callback) =>
      callback(
        null,
        (addresses[hostname] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
  });
  closers.push(outgoingFetch.close);
  return outgoingFetch;
}

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'reached',
    (error: unknown) => error,
  );

test.each([
  'http://127.0.0.1/',
  'http://127.1/',
  'http://0x7f000001/',
  'http://2130706433/',
  'http://0177.0.0.1/',
  'http://0/',
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://169.254.169.254/latest/meta-data',
  'http://100.64.0.1/',
  'http://192.0.0.1/',
  'http://198.18.0.1/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://240.0.0.1/',
  'http://192.0.2.1/',
  'http://[::]/',
  'http://[::1]/',
  'http://[::7f00:1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:a00:1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[64:ff9b:1::1]/',
  'http://[2002:7f00:1::]/',
  'http://[2002:a00:1::1]/',
  'http://[2001:0:1::]/',
  'http://[fe80::1]/',
  'http://[fc00::1]/',
  'http://[fd12::1]/',
  'http://[ff02::1]/',
  'http://[2001:db8::1]/',
  'http://[100::1]/',
  'file:///etc/passwd',
  'ftp://example.com/',
  'data:text/plain,x',
  'gopher://127.0.0.1/',
])('%s is refused', async (url) => {
  const error = await refusal(outgoing([])(url));
  expect(error).toBeInstanceOf(OutgoingRefusedError);
  expect(error).toMatchObject({ code: 'outgoing_refused' });
});

test('S8: a name is refused when any of its addresses is not public', async () => {
  const port = await startServer((_request, _body, response) => response.end('inside'));
  const names = { 'one.test': ['127.0.0.1'], 'two.test': ['8.8.8.8', '::ffff:127.0.0.1'] };
  for (const name of Object.keys(names)) {
    const error = await refusal(outgoing([], names)(`http://${name}:${port}/`));
    expect(error).toBeInstanceOf(OutgoingRefusedError);
  }
});

test('S8: a name that resolves to something else the second time gains nothing', async () => {
  const port = await startServer((_request, _body, response) => response.end('inside'));
  let lookups = 0;
  const outgoingFetch = createOutgoingFetch({
    allow: ['127.0.0.2/32'],
    resolve: (_hostname, callback) => {
      lookups += 1;
      callback(null, [{ address: lookups === 1 ? '127.0.0.2' : '127.0.0.1', family: 4 }]);
    },
  });
  closers.push(outgoingFetch.close);
  // The address of the first lookup passes the check and is dialled; no server listens there.
  const error = await refusal(outgoingFetch(`http://rebind.test:${port}/`));
  expect(error).not.toBe('reached');
  expect(lookups).toBe(1);
});

test('allowed ranges permit exactly the addresses they contain', async () => {
  const port = await startServer((_request, _body, response) => response.end('hello'));
  const allowed = outgoing(['127.0.0.1/32'], { 'local.test': ['127.0.0.1'], 'other.test': ['127.0.0.2'] });
  expect(await (await allowed(`http://127.0.0.1:${port}/`)).text()).toBe('hello');
  expect(await (await allowed(`http://local.test:${port}/`)).text()).toBe('hello');
  expect(await refusal(allowed(`http://other.test:${port}/`))).toBeInstanceOf(OutgoingRefusedError);
});

test('S8: a redirect to a private address is refused', async () => {
  const port = await startServer((_request, _body, response) => {
    response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
  });
  expect(await refusal(outgoing(['127.0.0.1/32'])(`http://127.0.0.1:${port}/`))).toBeInstanceOf(
    OutgoingRefusedError,
  );
});

test('credentials are not sent to another origin, and a POST becomes a GET where the standard requires it', async () => {
  const seen: Record<string, unknown>[] = [];
  const target = await startServer((request, body, response) => {
    seen.push({
      method: request.method,
      body,
      authorization: request.headers.authorization,
      kept: request.headers['x-kept'],
    });
    response.end();
  });
  const start = await startServer((request, _body, response) => {
    const status = Number(request.url?.slice(1));
    response.writeHead(status, { location: `http://127.0.0.1:${target}/` }).end();
  });
  const headers = { authorization: 'Bearer secret', cookie: 'a=b', 'x-kept': 'yes' };
  const call = (status: number) =>
    outgoing(['127.0.0.1/32'])(`http://127.0.0.1:${start}/${status}`, {
      method: 'POST',
      body: 'text',
      headers,
    });
  await call(302);
  await call(307);
  expect(seen).toEqual([
    { method: 'GET', body: '', authorization: undefined, kept: 'yes' },
    { method: 'POST', body: 'text', authorization: undefined, kept: 'yes' },
  ]);
});

test('follows three redirects, not four; honors `manual` and `error`', async () => {
  const port = await startServer((request, _body, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) response.end('arrived');
    else response.writeHead(301, { location: `/${left - 1}` }).end();
  });
  const call = outgoing(['127.0.0.1/32']);
  expect(await (await call(`http://127.0.0.1:${port}/3`)).text()).toBe('arrived');
  await expect(call(`http://127.0.0.1:${port}/4`)).rejects.toThrow('More than 3 redirects');
  expect((await call(`http://127.0.0.1:${port}/1`, { redirect: 'manual' })).status).toBe(301);
  await expect(call(`http://127.0.0.1:${port}/1`, { redirect: 'error' })).rejects.toThrow('redirect');
});

test('accepts the arguments of the global fetch: a Request, a form, a signal', async () => {
  const port = await startServer((request, body, response) => {
    if (request.url !== '/slow') response.end(`${request.method} ${request.headers['content-type']} ${body}`);
  });
  const call = outgoing(['127.0.0.1/32']);
  const request = new Request(`http://127.0.0.1:${port}/`, { method: 'PUT', body: 'text' });
  expect(await (await call(request)).text()).toBe('PUT text/plain;charset=UTF-8 text');
  const form = new FormData();
  form.set('name', 'value');
  const answer = await (await call(`http://127.0.0.1:${port}/`, { method: 'POST', body: form })).text();
  expect(answer).toMatch(/^POST multipart\/form-data; boundary=[^]*name="name"[^]*value/);
  await expect(call(`http://127.0.0.1:${port}/slow`, { signal: AbortSignal.timeout(30) })).rejects.toThrow(
    'timeout',
  );
});

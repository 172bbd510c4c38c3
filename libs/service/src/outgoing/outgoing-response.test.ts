import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { createOutgoingFetch } from '../index';

const text = 'déjà vu, '.repeat(5_000);
const call = createOutgoingFetch({ allow: ['127.0.0.1/32'] });
const answers: Record<string, (response: ServerResponse, request: IncomingMessage) => void> = {
  '/plain': (response) => response.writeHead(200, 'Fine', { 'set-cookie': ['a=1', 'b=2'] }).end(text),
  '/json': (response) => response.end('\ufeff{"a":[1,"é"]}'),
  '/gzip': (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text)),
  '/twice': (response) =>
    response.writeHead(200, { 'content-encoding': 'deflate, br' }).end(brotliCompressSync(deflateSync(text))),
  '/cut-gzip': (response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text).subarray(0, 60)),
  '/no-gzip': (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('not that'),
  '/unknown': (response) => response.writeHead(200, { 'content-encoding': 'secret' }).end('as it is'),
  '/many': (response) =>
    response.writeHead(200, { 'content-encoding': Array.from({ length: 6 }, () => 'br').join(',') }).end(),
  '/constructor': (response) =>
    response.writeHead(200, { 'content-encoding': 'constructor' }).end('as it is'),
  '/elsewhere': (response) => response.writeHead(302, { location: 'http://[' }).end('nowhere'),
  '/empty': (response) => response.writeHead(204).end(),
  '/odd': (response) => response.writeHead(799, 'Odd').end('odd'),
  '/form': (response) =>
    response.writeHead(200, { 'content-type': 'application/x-www-form-urlencoded' }).end('a=1&b=2'),
  '/away': (response) => response.writeHead(301, { location: '/plain' }).end('moved'),
  '/cut': (response) => {
    response.writeHead(200, { 'content-length': 1_000 }).write('a part');
    setTimeout(() => response.destroy(), 20);
  },
  '/hangs': (response) => void response.writeHead(200, { 'content-length': 1_000 }).write('a part'),
  '/echo': (response, { headers, method }) => response.end(JSON.stringify({ ...headers, method })),
  '/phrase': (response) => {
    const answer = 'HTTP/1.1 200 \u0423\u0441\u043f\u0435\u0445\r\nconnection: close\r\n\r\nfine';
    response.socket?.end(answer, 'utf8');
  },
  '/bytes': (response) => {
    response.socket?.end('HTTP/1.1 200 OK\r\nx-name: sn\u00c3\u00b8 \r\nconnection: close\r\n\r\n', 'latin1');
  },
};
let server: Server;
let origin = '';

beforeAll(async () => {
  server = createServer((request, response) => answers[request.url ?? '']?.(response, request));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await call.close();
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
});

const open = (path: string, init?: RequestInit) => call(`${origin}${path}`, init);

test('behaves like a standard Response', async () => {
  const response = await open('/plain');
  expect(response).toBeInstanceOf(Response);
  expect(response).toMatchObject({
    status: 200,
    statusText: 'Fine',
    ok: true,
    url: `${origin}/plain`,
    redirected: false,
    bodyUsed: false,
  });
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  const [first, second] = await Promise.allSettled([response.text(), response.text()]);
  expect([first?.status, second?.status]).toEqual(['fulfilled', 'rejected']);
  expect(first).toMatchObject({ value: text });
  expect(response.bodyUsed).toBe(true);
  await expect(response.text()).rejects.toThrow('read already');
});

test('can be read part by part without a web stream, once', async () => {
  const partsOf = async (response: Response) => {
    const parts: Uint8Array[] = [];
    for await (const part of response as unknown as AsyncIterable<Uint8Array>) parts.push(part);
    return Buffer.concat(parts).toString();
  };
  for (const path of ['/plain', '/gzip', '/twice']) {
    const response = await open(path);
    expect(await partsOf(response)).toBe(text);
    expect(response.bodyUsed).toBe(true);
    await expect(response.text()).rejects.toThrow('read already');
    await expect(partsOf(response)).rejects.toThrow('read already');
  }
  expect(await partsOf(await open('/empty'))).toBe('');
  await expect(open('/cut').then(partsOf)).rejects.toThrow();
  const cloned = await open('/plain');
  const copy = cloned.clone();
  expect(await Promise.all([partsOf(cloned), copy.text()])).toEqual([text, text]);
});

test('reports the URL of a redirect', async () => {
  const response = await open('/away');
  expect(response).toMatchObject({ status: 200, url: `${origin}/plain`, redirected: true });
  expect(await response.text()).toBe(text);
});

test('returns its body in every form', async () => {
  expect(await (await open('/json')).json()).toEqual({ a: [1, 'é'] });
  expect(Buffer.from(await (await open('/plain')).arrayBuffer()).toString()).toBe(text);
  const bytes = (await open('/plain')) as Response & { bytes(): Promise<Uint8Array> };
  expect(Buffer.from(await bytes.bytes()).toString()).toBe(text);
  expect(await (await (await open('/plain')).blob()).text()).toBe(text);
  expect([...(await (await open('/form')).formData())]).toEqual([
    ['a', '1'],
    ['b', '2'],
  ]);
  const parts: Uint8Array[] = [];
  const streamed = await open('/plain');
  for await (const part of streamed.body as unknown as AsyncIterable<Uint8Array>) parts.push(part);
  expect(Buffer.concat(parts).toString()).toBe(text);
  expect(streamed.bodyUsed).toBe(true);
});

test('can be read twice when it is cloned first', async () => {
  const response = await open('/plain');
  const clone = response.clone();
  expect([await response.text(), await clone.text()]).toEqual([text, text]);
});

test.each(['/gzip', '/twice'])('%s is decoded', async (path) => {
  expect(await (await open(path)).text()).toBe(text);
});

test('returns the readable part of a truncated body, and rejects a body that is not encoded as declared', async () => {
  expect(text).toContain(await (await open('/cut-gzip')).text());
  await expect(open('/no-gzip').then((response) => response.text())).rejects.toThrow(/incorrect header/);
  for (const path of ['/unknown', '/constructor']) expect(await (await open(path)).text()).toBe('as it is');
  await expect(open('/many')).rejects.toThrow('encoded 6 times');
});

test('an empty response has no body, and its connection is reused', async () => {
  const empty = await open('/empty');
  expect([empty.status, empty.body, await empty.text()]).toEqual([204, null, '']);
  const head = await open('/plain', { method: 'HEAD' });
  expect([head.status, head.body]).toEqual([200, null]);
});

test('passes an undefined status through', async () => {
  const odd = await open('/odd');
  expect([odd.status, odd.statusText, odd.ok, await odd.text()]).toEqual([799, 'Odd', false, 'odd']);
});

test('a broken connection rejects reads, and does no harm without a read', async () => {
  await open('/cut');
  await pause(60);
  const broken = await open('/cut');
  await expect(broken.text()).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
  const late = await open('/cut');
  await pause(60);
  await expect(late.arrayBuffer()).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
  await expect(open('/elsewhere')).rejects.toThrow('Invalid URL');
});

test('the signal also aborts reading, with its reason', async () => {
  const abort = new AbortController();
  const response = await open('/hangs', { signal: abort.signal });
  const read = response.text();
  abort.abort(new Error('enough'));
  await expect(read).rejects.toThrow('enough');
  await expect(open('/plain', { signal: abort.signal })).rejects.toThrow('enough');
});

test('the signal aborts a slow lookup', async () => {
  let answerLookup: () => void = () => undefined;
  const slow = createOutgoingFetch({
    allow: ['127.0.0.1/32'],
    resolve: (_hostname, callback) => {
      answerLookup = () => callback(null, [{ address: '127.0.0.1', family: 4 }]);
    },
  });
  const asked = slow(origin.replace('127.0.0.1', 'slow.test'), { signal: AbortSignal.timeout(50) });
  await expect(asked).rejects.toMatchObject({ name: 'TimeoutError' });
  answerLookup();
  await slow.close();
});

test('cancelling the body closes the connection while a read is pending', async () => {
  const closed = new Promise((resolve) =>
    server.once('request', (_, response) => response.once('close', resolve)),
  );
  const reader = (await open('/hangs')).body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? '').toString()).toBe('a part');
  const waiting = reader?.read();
  await reader?.cancel();
  expect(await waiting).toMatchObject({ done: true });
  await closed;
});

test('sends the headers that the standard requires', async () => {
  const echo = async (init: RequestInit) => (await (await open('/echo', init)).json()) as unknown;
  expect(await echo({ headers: [['X-Key', ' spaces ']] })).toMatchObject({
    method: 'GET',
    accept: '*/*',
    'accept-encoding': 'gzip, br',
    'user-agent': 'millrace',
    'x-key': 'spaces',
  });
  expect(await echo({ method: 'post', body: 'text', headers: { 'User-Agent': 'mine' } })).toMatchObject({
    method: 'POST',
    'content-type': 'text/plain;charset=UTF-8',
    'content-length': '4',
    'user-agent': 'mine',
  });
  expect(await echo({ method: 'PUT', body: new URLSearchParams({ a: '1' }) })).toMatchObject({
    'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
    'content-length': '3',
  });
  expect(await echo({ method: 'PATCH', body: new Uint8Array(7) })).toMatchObject({ 'content-length': '7' });
  expect(await echo({ method: 'POST' })).toMatchObject({ 'content-length': '0' });
  const stream = new Blob(['streamed']).stream();
  expect(await echo({ method: 'POST', body: stream, duplex: 'half' } as RequestInit)).toMatchObject({
    'transfer-encoding': 'chunked',
  });
  expect(await echo({ method: 'POST', body: new Blob(['b'], { type: 'text/x' }) })).toMatchObject({
    'content-type': 'text/x',
  });
});

test('refuses requests that the standard refuses', async () => {
  await expect(open('/plain', { body: 'text' })).rejects.toThrow('GET cannot have a body');
  await expect(call('http://user:password@127.0.0.1/')).rejects.toThrow('credentials');
  await expect(open('/plain', { headers: { a: 'b\r\nc: d' } })).rejects.toThrow('invalid');
  await expect(call('http://127.0.0.1:1/')).rejects.toMatchObject({
    message: 'fetch failed',
    cause: { code: 'ECONNREFUSED' },
  });
});

test('accepts a reason phrase that is not ASCII', async () => {
  const response = await open('/phrase#part');
  expect(response.url).toBe(`${origin}/phrase`);
  expect(await new Response(response.body).text()).toBe('fine');
});

test('headers contain the bytes that were sent', async () => {
  const { headers } = await open('/bytes');
  expect(Buffer.from(headers.get('x-name') ?? '', 'latin1').toString()).toBe('snø');
});

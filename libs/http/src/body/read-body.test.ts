import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { BodyBudget, HttpError, readBody } from '../index';
import { listen } from '../server/listen';

const LIMITS = { maximumBytes: 100, overBudget: () => new HttpError('too_many_bodies', 'full') };

let server: Server;
let client: Socket;
let budget: BodyBudget;
let onRequest: (request: IncomingMessage) => void;
let port: number;

beforeAll(async () => {
  server = createServer((request) => onRequest(request));
  port = await listen(server, { host: '127.0.0.1', port: 0 });
});
beforeEach(() => {
  budget = new BodyBudget({ maximumBytes: 1_000, freeBytes: 0 });
});
afterEach(() => client.destroy());
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Sends the head of a request and these parts; resolves to the request that the server received. */
function receive(head: string, ...parts: string[]): Promise<IncomingMessage> {
  return new Promise((resolve) => {
    onRequest = resolve;
    client = connect(port, '127.0.0.1');
    client.write(`POST / HTTP/1.1\r\nHost: test\r\n${head}\r\n\r\n${parts.join('')}`);
  });
}

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

test.each([
  ['in one part', 'Content-Length: 3', ['abc']],
  ['in several chunks', 'Transfer-Encoding: chunked', [chunk('a'), chunk('bc'), '0\r\n\r\n']],
])('reads a body that arrives %s', async (_how, head, parts) => {
  const request = await receive(head, ...parts);
  const body = await readBody(request, { ...LIMITS, share: budget.open() });
  expect(body.toString()).toBe('abc');
});

test.each([
  ['a declared length above the limit', 'Content-Length: 101', [], 1_000, 'body_too_large'],
  ['chunks above the limit', 'Transfer-Encoding: chunked', [chunk('a'.repeat(101))], 1_000, 'body_too_large'],
  ['more bytes than the budget has', 'Content-Length: 50', ['a'.repeat(50)], 49, 'too_many_bodies'],
])('refuses %s', async (_what, head, parts, maximumBytes, code) => {
  budget = new BodyBudget({ maximumBytes, freeBytes: 0 });
  const request = await receive(head, ...parts);
  await expect(readBody(request, { ...LIMITS, share: budget.open() })).rejects.toMatchObject({ code });
});

test('rejects when the caller disconnects, before and after reading began', async () => {
  const half = await receive('Content-Length: 10', 'abc');
  const reading = readBody(half, { ...LIMITS, share: budget.open() });
  client.destroy();
  await expect(reading).rejects.toMatchObject({ code: 'undecodable_body' });
  await expect(readBody(half, { ...LIMITS, share: budget.open() })).rejects.toMatchObject({
    code: 'undecodable_body',
  });
});

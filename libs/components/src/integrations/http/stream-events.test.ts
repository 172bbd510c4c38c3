import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { once } from 'node:events';
import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { streamEvents } from './stream-events';

let server: Server | null = null;
afterEach(() => server?.close());

const context = {
  fetch,
  signal: new AbortController().signal,
  remainingMilliseconds: () => 20_000,
} as ComponentContext;

async function eventsOf(answer: (response: ServerResponse) => void, maximumBytes = 1000): Promise<string[]> {
  const http = createServer((_, response) => answer(response));
  server = http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const url = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/`);
  const events: string[] = [];
  const errorFor = ({ status }: { status: number }): Error => new ComponentError(`Refused: ${status}`);
  for await (const event of streamEvents({ service: 'The fake', url, maximumBytes }, errorFor, context)) {
    events.push(event);
  }
  return events;
}

test('returns the data of events, however they are split into chunks, and omits other fields', async () => {
  const text = ': hi\nevent: a\ndata: one\n\ndata: two\r\ndata:lines ä\r\n\r\nid: 3\n\ndata: last';
  const events = await eventsOf((response) => {
    response.writeHead(200);
    for (const byte of Buffer.from(text)) response.write(Buffer.from([byte]));
    response.end();
  });
  expect(events).toEqual(['one', 'two\nlines ä', 'last']);
});

test('rejects with the error of the caller for an error status', async () => {
  await expect(eventsOf((response) => response.writeHead(418).end('no'))).rejects.toThrow('Refused: 418');
});

test('rejects for an endless event and for a broken connection', async () => {
  const endless = eventsOf((response) => void response.write(`data: ${'x'.repeat(2000)}`));
  await expect(endless).rejects.toThrow('The fake sent an event that is too long.');
  server?.close();
  const ofManyLines = eventsOf((response) => void response.write(`data: ${'x'.repeat(98)}\n`.repeat(20)));
  await expect(ofManyLines).rejects.toThrow('The fake sent an event that is too long.');
  server?.close();
  const broken = eventsOf((response) => response.write('data: a\n\n', () => response.destroy()));
  await expect(broken).rejects.toThrow('The fake (127.0.0.1:');
});

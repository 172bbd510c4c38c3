import { eventsIn, linesIn } from './stream-events';
import type { StreamItem, StreamReader } from './stream-events';

async function itemsOf(
  read: StreamReader,
  body: Buffer,
  { partBytes = body.length, type = 'text/event-stream' } = {},
): Promise<StreamItem[]> {
  async function* parts(): AsyncGenerator<Uint8Array> {
    await Promise.resolve();
    for (let at = 0; at < body.length; at += partBytes) yield body.subarray(at, at + partBytes);
  }
  const items: StreamItem[] = [];
  for await (const item of read(parts(), new Headers({ 'content-type': type }))) items.push(item);
  return items;
}

const event = (value: unknown): unknown => ({ kind: 'event', value });

test.each([1, 2, 7, 1000])(
  'reads the JSON of events from parts of %d bytes, and omits other fields',
  async (partBytes) => {
    const text =
      ': hi\nevent: a\ndata: {"a":"1ä"}\n\ndata: {"a":\r\ndata:2}\r\n\r\nid: 3\n\ndata:\n\n' +
      'data: {"a":3}\ndata: {"a":4}\n\ndata: [DONE]\n\ndata: {"a":5}';
    expect(await itemsOf(eventsIn, Buffer.from(text), { partBytes })).toEqual([
      ...['1ä', 2, 3, 4].map((a) => event({ a })),
      { kind: 'end' },
      event({ a: 5 }),
    ]);
  },
);

test.each<[string, StreamReader]>([
  ['events', eventsIn],
  ['lines', linesIn],
])('reads a document in place of %s, after comments, too', async (_, read) => {
  const comment = read === eventsIn ? ': wait\n\n' : '';
  expect(await itemsOf(read, Buffer.from(`${comment}{\n "error": 1\n}\n`), { partBytes: 5 })).toEqual([
    { kind: 'document', value: { error: 1 } },
  ]);
  expect(await itemsOf(read, Buffer.from('<html>\n<p>Log in'))).toEqual([
    { kind: 'text', text: '<html>\n<p>Log in' },
  ]);
  expect(await itemsOf(read, Buffer.from(''))).toEqual([]);
});

test('returns what is no JSON as text, and JSON without a field name as an event', async () => {
  const body = Buffer.from('data: {"a":1}\n\noops\n{"error":"late"}\ndata: {"a":\n');
  expect(await itemsOf(eventsIn, body)).toEqual([
    event({ a: 1 }),
    { kind: 'text', text: 'oops' },
    event({ error: 'late' }),
    { kind: 'text', text: '{"a":' },
  ]);
});

test('bytes that are UTF-8 are read as such, others in the charset of the header or as Windows-1252', async () => {
  const text = 'data: {"a":"é"}\n\n';
  const latin = 'text/event-stream; charset=iso-8859-1';
  expect(await itemsOf(eventsIn, Buffer.from(text), { type: latin })).toEqual([event({ a: 'é' })]);
  expect(await itemsOf(eventsIn, Buffer.from(`\ufeff${text}`))).toEqual([event({ a: 'é' })]);
  expect(await itemsOf(eventsIn, Buffer.from(text, 'latin1'), { partBytes: 13 })).toEqual([
    event({ a: 'é' }),
  ]);
});

import { eventFrames } from './event-frames';
import type { EventFrame } from './event-frames';
import { eventFrame } from './event-frames.fixture';

async function read(bytes: Buffer, size: number): Promise<readonly EventFrame[]> {
  const parts = async function* () {
    for (let at = 0; at < bytes.length; at += size)
      yield await Promise.resolve(bytes.subarray(at, at + size));
  };
  const frames: EventFrame[] = [];
  for await (const frame of eventFrames(parts(), 'Bedrock')) frames.push(frame);
  return frames;
}

const headers = { ':message-type': 'event', ':event-type': 'metadata' };
const two = Buffer.concat([eventFrame(headers, { text: 'Größe' }), eventFrame({}, {})]);

test.each([1, 7, 1000])('reads messages that arrive in parts of %d bytes', async (size) => {
  const frames = await read(two, size);
  expect(frames.map((frame) => frame.headers)).toEqual([headers, {}]);
  expect(frames.map(({ payload }) => payload.toString())).toEqual(['{"text":"Größe"}', '{}']);
});

// The message of the specification's example: empty, with the checksums that it names.
test('reads an empty message with known checksums', async () => {
  const empty = Buffer.from('000000100000000005c248eb7d98c8ff', 'hex');
  expect(await read(empty, 16)).toMatchObject([{ headers: {} }]);
});

test.each([
  ['a wrong checksum', (bytes: Buffer) => bytes.writeUInt8(0, 40), 'not valid'],
  ['a wrong length', (bytes: Buffer) => bytes.writeUInt32BE(5, 0), 'not valid'],
])('refuses %s', async (_, damage, message) => {
  const bytes = Buffer.from(two);
  damage(bytes);
  await expect(read(bytes, 1000)).rejects.toThrow(message);
});

test('refuses a body that ends within a message', async () => {
  await expect(read(two.subarray(0, -1), 1000)).rejects.toThrow('Bedrock ended its answer within a message.');
});

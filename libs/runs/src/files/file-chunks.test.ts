import { Readable } from 'node:stream';
import { CHUNK_BYTES, toChunks } from './file-chunks';

const whole = CHUNK_BYTES;

test.each([
  [[], []],
  [[0], []],
  [[3], [3]],
  [[whole], [whole]],
  [
    [1, whole, 2 * whole - 1, 0],
    [whole, whole, whole],
  ],
  [
    [whole + 1, whole + 1],
    [whole, whole, 2],
  ],
])('parts of %j bytes become chunks of %j', async (given, wanted) => {
  const sizes = [];
  for await (const chunk of toChunks(Readable.from(given.map((size) => Buffer.alloc(size)))))
    sizes.push(chunk.length);
  expect(sizes).toEqual(wanted);
});
